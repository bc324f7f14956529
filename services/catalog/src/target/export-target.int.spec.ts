import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { command } from '@almanac/clickhouse';
import { catalogRpc, DomainError } from '@almanac/contracts';
import type { z } from 'zod';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { archive, dayUs, oldDay } from '../testing/archive.js';

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

  it('resolves a day with observations to the markets that were open at some time of it', async () => {
    const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
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
    // The market of 02 h has a row of the next day, after its close.
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

  it('treats a market of unknown times as open when one time, the venue or an observation indicates it', async () => {
    const market = (ticker: string, times: { open_us?: number; close_us?: number; venue_status?: string }) =>
      ({ kind: 'market', ticker, event_ticker: `${ticker}-E`, series: 'ODD', ...times }) as const;
    await catalog.recorded(
      market('O-CLOSED', { close_us: oldDay + dayUs }),
      market('O-CLOSED-LATER', { close_us: oldDay + dayUs + 1 }),
      market('O-NOTHING', {}),
      market('O-NOW', { open_us: oldDay - dayUs, venue_status: 'active' }),
      market('O-OPENED', { open_us: oldDay }),
      market('O-OPENED-BEFORE', { open_us: oldDay - 1 }),
      market('O-SEEN', {}),
    );
    await assert.rejects(query.target({ series: 'ODD', day: '2026-02-24' }), refused('no_data_for_day'));
    await observe('O-SEEN', oldDay);
    const { tickers, events } = await query.target({ series: 'ODD', day: '2026-02-24' });
    assert.deepEqual(tickers, ['O-CLOSED', 'O-NOW', 'O-OPENED', 'O-SEEN']);
    assert.deepEqual(
      events,
      tickers.map((ticker) => `${ticker}-E`),
    );
  });
});
