import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { type AdminBus, patterns, subjects } from '@almanac/bus';
import { command } from '@almanac/clickhouse';
import { catalogRpc, seriesState } from '@almanac/contracts';
import { replicateStates } from '@almanac/event-store';
import type { z } from 'zod';
import { archive, dayUs, hourUs, nowUs, oldDay } from '../testing/archive.js';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { replicateSeries, type SeriesReplica } from './replicate-series.js';

let catalog: CatalogHarness;
before(async () => {
  catalog = await startHarness();
  await catalog.recorded(...archive);
});
after(() => catalog.stop());

describe('series and events', () => {
  const query = {
    series: (input: z.input<typeof catalogRpc.listSeries.input>) =>
      catalog.call('gateway', catalogRpc.listSeries, input),
    seriesDetail: (input: z.input<typeof catalogRpc.seriesDetail.input>) =>
      catalog.call('gateway', catalogRpc.seriesDetail, input),
    event: (input: z.input<typeof catalogRpc.eventDetail.input>) =>
      catalog.call('gateway', catalogRpc.eventDetail, input),
  };
  const tickersOf = (answer: { markets: readonly { ticker: string }[] }) => answer.markets.map(({ ticker }) => ticker);

  it('lists series, live ones first, with figures of the whole series and totals of the matches', async () => {
    const { series, saved_ts, ...rest } = await query.series({});
    assert.ok(saved_ts !== null && saved_ts >= nowUs / 1e6 && saved_ts <= Date.now() / 1e3);
    assert.deepEqual(rest, {
      count: 2,
      source: 'cache',
      markets_n: 54,
      series_n: 2,
      events_n: 51,
      has_more: false,
      next_offset: null,
    });
    assert.deepEqual(
      series.map(({ id, status, markets_n, live_n, closed_n, events_n }) => [
        id,
        status,
        markets_n,
        live_n,
        closed_n,
        events_n,
      ]),
      [
        ['HIGH', 'live', 4, 4, 0, 1],
        ['BTC', 'closed', 50, 0, 50, 50],
      ],
    );
    assert.deepEqual(series[1], {
      id: 'BTC',
      label: 'Bitcoin hourly',
      category: 'crypto',
      category_label: 'Crypto',
      shape: 'rolling',
      markets_n: 50,
      live_n: 0,
      closed_n: 50,
      events_n: 50,
      sample_title: 'Bitcoin up at 49?',
      status: 'closed',
      next_close_ts: null,
      last_close_ts: (oldDay + 50 * hourUs) / 1e6,
      min_open_ts: oldDay / 1e6,
    });
    const firstHours = await query.series({ to_ts: (oldDay + 2 * hourUs) / 1e6 });
    assert.deepEqual([firstHours.series_n, firstHours.markets_n, firstHours.events_n], [1, 2, 2]);
    assert.equal(firstHours.series[0]?.markets_n, 50);
    const page = await query.series({ limit: 1 });
    assert.deepEqual([page.has_more, page.next_offset, page.series_n], [true, 1, 2]);
    assert.deepEqual((await query.series({ limit: 1, offset: 1 })).series, [series[1]]);
    assert.equal((await query.series({ offset: 10_000 })).series_n, 2);
  });

  it('shows a rolling series with its markets, and another one with its events as well', async () => {
    const rolling = await query.seriesDetail({ series_id: 'BTC', limit: 20, offset: 40 });
    assert.deepEqual(
      [rolling.count, rolling.has_more, rolling.next_offset, rolling.events],
      [10, false, null, undefined],
    );
    const other = await query.seriesDetail({ series_id: 'HIGH', limit: 2 });
    assert.deepEqual([other.count, other.has_more, other.next_offset], [2, true, 2]);
    assert.deepEqual(other.events, [
      {
        event_ticker: 'HIGH-1',
        title: 'Highest temperature in Oslo',
        series: 'HIGH',
        category: 'weather',
        status: 'live',
        open_ts: (nowUs - dayUs) / 1e6,
        close_ts: (nowUs + dayUs) / 1e6,
        markets_n: 4,
        live_n: 4,
        closed_n: 0,
      },
    ]);
    assert.deepEqual([other.events_has_more, other.next_event_offset], [false, null]);
    const filtered = await query.seriesDetail({ series_id: 'HIGH', q: 'oslo', status: 'closed' });
    assert.deepEqual([filtered.count, filtered.events, filtered.series.markets_n], [0, [], 4]);
  });

  it('shows the markets of an event by strike, those without one last, page after page', async () => {
    const all = await query.event({ event_id: 'HIGH-1' });
    const byStrike = ['HIGH-1-T9', 'HIGH-1-T95999.99', 'HIGH-1-T100000', 'HIGH-1-OTHER'];
    assert.deepEqual(tickersOf(all), byStrike);
    assert.deepEqual(all.strike_ladder?.[1], {
      ticker: 'HIGH-1-T95999.99',
      floor_strike: 95999.99,
      strike_type: 'greater',
      status: 'live',
      result: null,
    });
    const seen: string[] = [];
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
      const page: Awaited<ReturnType<typeof query.event>> = await query.event({ event_id: 'HIGH-1', limit: 1, cursor });
      seen.push(...tickersOf(page));
      cursor = page.next_cursor;
    }
    assert.deepEqual(seen, byStrike);
    assert.equal((await query.event({ event_id: 'BTC-00' })).strike_ladder, null);
  });

  it('counts series, events and markets of each category', async () => {
    const { categories } = await catalog.call('gateway', catalogRpc.categories, {});
    assert.deepEqual(categories, [
      { id: 'crypto', label: 'Crypto', series_n: 1, events_n: 50, markets_n: 50, live_n: 0, closed_n: 50 },
      { id: 'weather', label: 'Climate & weather', series_n: 1, events_n: 1, markets_n: 3, live_n: 3, closed_n: 0 },
    ]);
  });
});

const known_us = 1_700_000_000_000_000;
const fee = { known_us, basis: 'venue', type: 'quadratic', multiplier: '1', valid_from_us: known_us } as const;

describe('the series of a starting service', () => {
  let bus: AdminBus;
  let replica: SeriesReplica | undefined;
  const logged: string[] = [];
  const onUnreadable = (error: unknown): void => assert.fail(String(error));
  const read = async (): Promise<SeriesReplica> => {
    const log = { error: (_: object, message: string) => void logged.push(message) };
    replica = await replicateSeries({ bus, clickhouse: catalog.clickhouse, onUnreadable, log });
    return replica;
  };
  const fromStream = async () => {
    const options = { stream: 'EVT_CATALOG', filter: patterns.allSeries, state: seriesState, onUnreadable } as const;
    const stream = await replicateStates(bus, options);
    await stream.stop();
    return stream.states;
  };
  const store = (row: { id: string; state: string; seq: number }): Promise<void> =>
    command(catalog.clickhouse, {
      sql: 'INSERT INTO series (id, state, seq) VALUES ({id:String}, {state:String}, {seq:UInt64})',
      params: row,
    });
  before(async () => {
    bus = await catalog.connect('catalog');
    await catalog.recorded({ kind: 'series', id: 'BTC', label: 'Bitcoin', fees: [fee] });
  });
  afterEach(() => replica?.stop());

  it('are those of the stream, with their words', async () => {
    const { states, text } = await read();
    assert.deepEqual(new Map(states), new Map(await fromStream()));
    assert.equal(states.get(subjects.series('BTC'))?.fees.length, 1);
    assert.ok(text.words.has('bitcoin'));
  });

  it('come from the tables, and those that another release stored without a readable state from the stream', async () => {
    const [known, stored] = [await fromStream(), Number.MAX_SAFE_INTEGER - 1];
    const renamed = { ...seriesState.parse({ id: 'HIGH' }), label: 'Only in the table' };
    await store({ id: 'HIGH', state: JSON.stringify(renamed), seq: stored });
    for (const [seq, state] of ['', JSON.stringify({ id: 'BTC', fees: 'of a newer release' })].entries()) {
      await store({ id: 'BTC', state, seq: stored + seq });
      const { states } = await read();
      assert.equal(states.get(subjects.series('HIGH'))?.label, 'Only in the table');
      assert.deepEqual(states.get(subjects.series('BTC')), known.get(subjects.series('BTC')));
      await replica?.stop();
    }
  });

  // Last in the file, since ClickHouse does not restart.
  it('come from the stream while ClickHouse does not answer', async () => {
    await catalog.stopClickHouse();
    const { states } = await read();
    assert.deepEqual(new Map(states), new Map(await fromStream()));
    assert.match(logged.join(), /each one is read from the stream/);
  });
});
