import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { command } from '@almanac/clickhouse';
import { catalogRpc, DomainError, type ExportStream, utcDayOf } from '@almanac/contracts';
import type { z } from 'zod';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { archive, dayUs, nowUs, oldDay } from '../testing/archive.js';

describe('an export target', () => {
  let catalog: CatalogHarness;
  before(async () => {
    catalog = await startHarness();
    await catalog.recorded(...archive);
  });
  after(() => catalog.stop());

  const query = {
    all: (input: z.input<typeof catalogRpc.exportTarget.input>) =>
      catalog.call('export', catalogRpc.exportTarget, input),
    target: async (input: z.input<typeof catalogRpc.exportTarget.input>) => {
      const { parts: _, ...target } = await query.all(input);
      return target;
    },
  };
  const refused = (code: string) => (error: unknown) => error instanceof DomainError && error.code === code;

  it('resolves an event and a ticker to the markets and events of the export', async () => {
    assert.deepEqual(await query.target({ event: 'HIGH-1' }), {
      event: 'HIGH-1',
      ticker: null,
      series: 'HIGH',
      day: null,
      events: ['HIGH-1'],
      tickers: ['HIGH-1-OTHER', 'HIGH-1-T100000', 'HIGH-1-T9', 'HIGH-1-T95999.99'],
    });
    assert.deepEqual(await query.target({ ticker: 'HIGH-1-T9', event: '', day: null }), {
      event: 'HIGH-1',
      ticker: 'HIGH-1-T9',
      series: 'HIGH',
      day: null,
      events: ['HIGH-1'],
      tickers: ['HIGH-1-T9'],
    });
    await assert.rejects(query.target({ series: 'BTC' }), refused('invalid_input'));
    await assert.rejects(query.target({ series: 'BTC', day: '2026-02-30' }), refused('invalid_input'));
  });

  const observe = (ticker: string, us: number) =>
    command(catalog.clickhouse, {
      sql: 'INSERT INTO snapshots (ticker, series, ts) SELECT {ticker:String}, {series:String}, fromUnixTimestamp64Micro({us:Int64})',
      params: { ticker, series: 'BTC', us },
    });

  it('resolves a day with observations to its markets with rows, and to those without any that were open last on it', async () => {
    const all = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
    // The only row of 02 h is of the next day.
    const hours = all.filter((hour) => hour !== '02');
    await observe('BTC-01-1', oldDay);
    await observe('BTC-00-1', oldDay + dayUs - 1);
    await observe('BTC-02-1', oldDay + dayUs);
    // One closes as the day ends, one opens then, and one of the next day has a row before it opens.
    await observe('BTC-23-1', oldDay + 1);
    await observe('BTC-30-1', oldDay + dayUs - 1);
    assert.deepEqual(await query.target({ series: 'BTC', day: '2026-02-24' }), {
      event: null,
      ticker: null,
      series: 'BTC',
      day: '2026-02-24',
      events: [...hours, '30'].map((hour) => `BTC-${hour}`),
      tickers: [...hours, '30'].map((hour) => `BTC-${hour}-1`),
    });
    // It is after the close.
    const next = await query.target({ series: 'BTC', day: '2026-02-25' });
    assert.deepEqual([next.tickers[0], next.tickers[1]], ['BTC-02-1', 'BTC-24-1']);
    assert.deepEqual(
      await query.target({ series: 'BTC', day: '2026-02-26' }).catch((error: unknown) => error),
      new DomainError(
        'no_data_for_day',
        'The archive has no observations of BTC on 2026-02-26 (UTC). Choose another day.',
      ),
    );
    await assert.rejects(query.target({ series: 'BTC', day: '2030-01-01' }), refused('no_data_for_day'));
  });

  it('resolves a day to the markets of its candles on request, and says that they exist otherwise', async () => {
    const history = [{ known_us: oldDay, basis: 'venue' as const, values: { open_us: String(oldDay) } }];
    await catalog.recorded({ kind: 'market', ticker: 'CANDLED', event_ticker: 'CA-E', series: 'CANDLES', history });
    // The first and the last minute of the day, which ends at midnight.
    await command(catalog.clickhouse, {
      sql: `INSERT INTO venue_candles (ticker, series, source, period_s, start_ts, end_ts, stated_ts)
        SELECT 'CANDLED', 'CANDLES', 'kalshi', 60, fromUnixTimestamp64Micro(us), fromUnixTimestamp64Micro(us + 60000000), now64(6)
        FROM (SELECT arrayJoin([{start_us:Int64}, {start_us:Int64} + 86340000000]) AS us)`,
      params: { start_us: oldDay + dayUs },
    });
    const day = { series: 'CANDLES', day: '2026-02-25' };
    const streams: ExportStream[] = ['candles', 'settlement'];
    assert.deepEqual((await query.target({ ...day, streams })).tickers, ['CANDLED']);
    await assert.rejects(query.target({ ...day, day: '2026-02-26', streams }), /no venue candles of CANDLES on/);
    const hint =
      /no observations of CANDLES on 2026-02-25 \(UTC\), but candles of its venue\. Add "candles" to streams, or choose another day\./;
    await assert.rejects(query.target(day), hint);
    // Before the first has ended, nobody knows of it.
    const endS = (oldDay + dayUs) / 1e6 + 60;
    assert.deepEqual((await query.target({ ...day, streams, as_of: endS })).tickers, ['CANDLED']);
    await assert.rejects(query.target({ ...day, as_of: endS }), hint);
    await assert.rejects(query.target({ ...day, as_of: endS - 1 }), /\(UTC\)\. Choose another day/);
    await assert.rejects(query.target({ ...day, streams, as_of: endS - 1 }), refused('no_data_for_day'));
  });

  it('resolves lists to a part for each event, and names the first one that does not exist', async () => {
    const events = await query.all({ events: ['BTC-00', 'HIGH-1'] });
    const { parts, ...resolved } = events;
    const nothing = { ticker: null, day: null };
    const high = ['HIGH-1-OTHER', 'HIGH-1-T100000', 'HIGH-1-T9', 'HIGH-1-T95999.99'];
    assert.deepEqual(resolved, {
      ...nothing,
      event: null,
      series: null,
      events: ['BTC-00', 'HIGH-1'],
      tickers: ['BTC-00-1', ...high],
    });
    const part = (event: string | null, tickers: string[]) => ({
      day: null,
      event,
      events: event === null ? [] : [event],
      tickers,
      has_rows: true,
    });
    assert.deepEqual(parts, [part('BTC-00', ['BTC-00-1']), part('HIGH-1', high)]);
    const tickers = await query.all({ tickers: ['HIGH-1-T9', 'LOOSE', 'HIGH-1-OTHER'] });
    assert.deepEqual(tickers.parts, [part('HIGH-1', ['HIGH-1-T9', 'HIGH-1-OTHER']), part(null, ['LOOSE'])]);
    assert.deepEqual([tickers.events, tickers.tickers], [['HIGH-1'], ['HIGH-1-OTHER', 'HIGH-1-T9', 'LOOSE']]);
    await assert.rejects(query.all({ events: ['HIGH-1', 'NONE'] }), refused('event_not_found'));
    await assert.rejects(query.all({ tickers: ['NONE', 'LOOSE'] }), refused('market_not_found'));
  });

  it('resolves a range to its days, each as a day of its own, and says which have no rows', async () => {
    const range = { series: 'BTC', from: '2026-02-23', to: '2026-02-26' };
    const { parts, events, tickers } = await query.all(range);
    assert.deepEqual(
      parts.map(({ day, has_rows }) => [day, has_rows]),
      [
        ['2026-02-23', false],
        ['2026-02-24', true],
        ['2026-02-25', true],
        ['2026-02-26', false],
      ],
    );
    for (const { day, has_rows: _, ...part } of parts.filter((one) => one.has_rows)) {
      const alone = await query.all({ series: 'BTC', day });
      assert.deepEqual(part, { event: null, events: alone.events, tickers: alone.tickers });
    }
    assert.deepEqual(tickers, [...new Set(parts.flatMap((part) => part.tickers))].toSorted());
    assert.deepEqual(events, [...new Set(parts.flatMap((part) => part.events))].toSorted());
    await assert.rejects(
      query.all({ series: 'BTC', from: '2026-02-26', to: '2026-02-28' }),
      refused('no_data_for_day'),
    );
  });

  it('gives the only row of a market without any to the day before its close, else of its open or settlement', async () => {
    const market = (
      ticker: string,
      times: Partial<Record<'open_us' | 'close_us' | 'settlement_us', number>> & { venue_status?: string },
    ) => ({ kind: 'market', ticker, event_ticker: `${ticker}-E`, series: 'ODD', ...times }) as const;
    await catalog.recorded(
      market('O-CLOSED', { close_us: oldDay + dayUs }),
      market('O-CLOSED-LATER', { close_us: oldDay + dayUs + 1 }),
      market('O-NOTHING', {}),
      market('O-NOW', { open_us: oldDay - dayUs, venue_status: 'active' }),
      market('O-OPENED', { open_us: oldDay }),
      market('O-OPENED-BEFORE', { open_us: oldDay - 1 }),
      market('O-SETTLED', { settlement_us: oldDay + 1 }),
      market('O-SEEN', {}),
    );
    await assert.rejects(query.target({ series: 'ODD', day: '2026-02-24' }), refused('no_data_for_day'));
    await observe('O-SEEN', oldDay);
    const { tickers, events } = await query.target({ series: 'ODD', day: '2026-02-24' });
    assert.deepEqual(tickers, ['O-CLOSED', 'O-OPENED', 'O-SEEN', 'O-SETTLED']);
    assert.deepEqual(
      events,
      tickers.map((ticker) => `${ticker}-E`),
    );
  });

  it('finds the days of the requested streams: a day of trades, a day of settlements, and no future one', async () => {
    const future = Math.ceil(nowUs / dayUs) * dayUs + 2 * dayUs;
    const market = (ticker: string, close_us: number) =>
      ({
        kind: 'market',
        ticker,
        event_ticker: 'DAYS-E',
        series: 'DAYS',
        open_us: close_us - dayUs,
        close_us,
      }) as const;
    await catalog.recorded(market('DAYS-OLD', oldDay + 1), market('DAYS-FUTURE', future), {
      ...market('DAYS-SETTLED', oldDay - dayUs),
      result: 'yes',
      settlement_us: oldDay + 2 * dayUs,
    });
    await command(catalog.clickhouse, {
      sql: "INSERT INTO trades (ticker, trade_id, series, venue_ts) SELECT 'DAYS-OLD', '1', 'DAYS', fromUnixTimestamp64Micro({us:Int64})",
      params: { us: oldDay + dayUs },
    });
    const range = { series: 'DAYS', from: '2026-02-20', to: '2026-02-28' };
    const found = async (streams: ExportStream[]) => {
      const { parts } = await query.all({ ...range, streams });
      return parts.flatMap(({ day, tickers, has_rows }) => (has_rows ? [[day, tickers]] : []));
    };
    assert.deepEqual(await found(['settlement']), [
      ['2026-02-22', ['DAYS-SETTLED']],
      ['2026-02-24', ['DAYS-OLD']],
    ]);
    assert.deepEqual(await found(['trades', 'settlement']), [['2026-02-25', ['DAYS-OLD']]]);
    const detail = (error: unknown): string => (error instanceof DomainError ? error.reply.detail : String(error));
    const refusal = (streams: ExportStream[], day: string) => query.all({ series: 'DAYS', day, streams }).catch(detail);
    const none = (what: string, day: string) =>
      `The archive has no ${what} of DAYS on ${day} (UTC). Choose another day.`;
    assert.equal(await refusal(['snapshots', 'settlement'], '2026-02-24'), none('observations', '2026-02-24'));
    assert.equal(await refusal(['trades', 'settlement'], '2026-02-24'), none('trades', '2026-02-24'));
    const last = utcDayOf(future - dayUs);
    assert.equal(await refusal(['settlement'], last), none('settlements', last));
  });
});
