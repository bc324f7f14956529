import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Bus } from '@almanac/bus';
import { type Handlers, serveContracts } from '@almanac/bus/server';
import { catalogRpc, notFound, timeseriesRpc } from '@almanac/contracts';
import { createLogger } from '@almanac/runtime';
import { seededRandom } from '@almanac/testing';
import type { z } from 'zod';
import { lastKnown, openUs, randomMarket, type RandomMarket, valueOf } from '../testing/random-market.js';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';

const { eventSnapshots } = timeseriesRpc;
const second = 1_000_000;
type Detail = z.input<typeof catalogRpc.eventDetail.output>;

/** The catalog's answers in this test: the markets of each event, one page of `limit` after the other. */
const events = new Map<string, readonly RandomMarket[]>();

const catalogue = { eventDetail: catalogRpc.eventDetail };
const handlers: Handlers<typeof catalogue> = {
  eventDetail: ({ event_id, limit, cursor }) => {
    const all = events.get(event_id);
    if (all === undefined) throw notFound('event_not_found', event_id);
    const from = Number(cursor ?? 0);
    const hasMore = all.length > from + limit;
    return {
      source: 'archive',
      event: {
        event_ticker: event_id,
        title: null,
        series: 'S',
        category: null,
        status: 'finalized',
        open_ts: openUs / 1e6,
        close_ts: Math.max(...all.map(({ closeUs }) => closeUs)) / 1e6,
        markets_n: all.length,
        live_n: 0,
        closed_n: all.length,
      },
      title_source: null,
      count: 0,
      markets: all.slice(from, from + limit).map(({ ticker }) => marketOf(ticker)),
      strike_ladder: null,
      has_more: hasMore,
      next_cursor: hasMore ? String(from + limit) : null,
    };
  },
};

const marketOf = (ticker: string): Detail['markets'][number] =>
  catalogRpc.eventDetail.output.shape.markets.element.parse({
    ...Object.fromEntries(
      Object.keys(catalogRpc.eventDetail.output.shape.markets.element.omit({ withheld: true }).shape).map((name) => [
        name,
        null,
      ]),
    ),
    ticker,
  });

describe('snapshots of an event', () => {
  let tested: TimeseriesHarness;
  let catalog: Bus;
  let serving: Awaited<ReturnType<typeof serveContracts>>;
  before(async () => {
    tested = await startHarness();
    catalog = await tested.fixture.busOf('catalog');
    serving = await serveContracts(catalog, catalogue, handlers, createLogger('test', 'silent'));
    await tested.fixture.series({ id: 'S', shape: 'rolling' });
  });
  after(async () => {
    await serving.stop();
    await catalog.close();
    await tested.stop();
  });

  const newEvent = async (random: () => number, marketsN: number): Promise<string> => {
    const markets: RandomMarket[] = [];
    const event = `E-${Math.floor(random() * 1e9)}`;
    for (let at = 0; at < marketsN; at += 1) markets.push(await randomMarket(tested, random, event));
    events.set(event, markets);
    return event;
  };

  it('have the last values at or before each grid time, and null where they are unknown (property)', async () => {
    for (const seed of [1, 2]) {
      const random = seededRandom(seed);
      const event = await newEvent(random, 3);
      for (const fill of ['previous', 'none'] as const) {
        const step_ms = [100, 1_000, 7_000, 60_000][Math.floor(random() * 4)] ?? 1_000;
        const stepUs = step_ms * 1_000;
        const startUs = openUs + Math.floor((random() * 200 - 100) * second);
        const endUs = startUs + Math.floor((1 + random() * 300) * second);
        const { body } = await tested.callers.read(eventSnapshots, {
          event_id: event,
          step_ms,
          fill,
          start_ts: startUs / 1e6,
          end_ts: endUs / 1e6,
        });
        const times: number[] = [];
        for (let us = Math.ceil(startUs / stepUs) * stepUs; us < endUs; us += stepUs) times.push(us);
        assert.deepEqual(
          body.ts,
          times.map((us) => us / 1e6),
        );
        const markets = events.get(event) ?? [];
        assert.deepEqual(
          body.markets,
          markets.map((market) => {
            const rows = times.map((us) => {
              const row = lastKnown(market, us);
              return fill === 'none' && row !== undefined && row.us <= us - stepUs ? undefined : row;
            });
            return {
              ticker: market.ticker,
              yes_best_bid: rows.map((row) => valueOf(row?.bid)),
              yes_best_ask: rows.map((row) => valueOf(row?.ask)),
              age_ms: rows.map((row, at) => (row === undefined ? null : ((times[at] ?? 0) - row.us) / 1_000)),
            };
          }),
          `seed ${seed}, ${fill}, ${step_ms}`,
        );
      }
    }
  });

  it('page over markets with a cursor, and over times with next_start_ts', async () => {
    const event = await newEvent(seededRandom(21), 3);
    const window = { event_id: event, start_ts: openUs / 1e6, end_ts: openUs / 1e6 + 60, limit: 2 };
    const first = await tested.callers.read(eventSnapshots, window);
    assert.deepEqual([first.body.count, first.body.markets_n, first.body.has_more], [2, 3, true]);
    const rest = await tested.callers.read(eventSnapshots, { ...window, cursor: first.body.next_cursor });
    assert.deepEqual([rest.body.count, rest.body.has_more, rest.body.next_cursor], [1, false, null]);
    const { body: all } = await tested.callers.read(eventSnapshots, { ...window, limit: 100 });
    assert.deepEqual([...first.body.markets, ...rest.body.markets], all.markets);
    const long = await tested.callers.read(eventSnapshots, { ...window, end_ts: window.start_ts + 5_001 });
    assert.deepEqual([long.body.ts.length, long.body.next_start_ts], [5_000, window.start_ts + 5_000]);
  });

  it('without any observation have a notice that names the nearest ones', async () => {
    const event = await newEvent(seededRandom(22), 2);
    const day = 86_400;
    const read = async (startS: number, fill: 'none' | 'previous') => {
      const window = { event_id: event, start_ts: startS, end_ts: startS + 600, step_ms: 60_000, fill };
      return (await tested.callers.read(eventSnapshots, window)).meta.notices ?? [];
    };
    const rows = (events.get(event) ?? []).flatMap((market) => market.rows.map(({ us }) => us));
    const [firstUs, lastUs] = [Math.min(...rows), Math.max(...rows)];
    const [early] = await read(openUs / 1e6 - day, 'previous');
    assert.deepEqual([early?.code, early?.nearest], ['window_empty', String(firstUs / 1e6)]);
    assert.match(
      early?.detail ?? '',
      /^No observation is stored in this window\. The first one after is at .* later\.$/,
    );
    const [late] = await read(Math.ceil(lastUs / 1e6) + day, 'none');
    assert.deepEqual([late?.code, late?.nearest], ['window_empty', String(lastUs / 1e6)]);
    assert.deepEqual(await read(Math.ceil(lastUs / 1e6) + day, 'previous'), []);
    assert.deepEqual(await read(openUs / 1e6, 'none'), []);
  });

  it('from a start alone go on window by window until the event closes', async () => {
    const event = await newEvent(seededRandom(23), 1);
    const closeS = (events.get(event)?.[0]?.closeUs ?? 0) / 1e6;
    const [startS, step_ms] = [openUs / 1e6 - 300, 100];
    const ends: [number, boolean, number | null][] = [];
    for (let start_ts: number | null = startS; start_ts !== null && ends.length < 9;) {
      const read = await tested.callers.read(eventSnapshots, { event_id: event, step_ms, start_ts });
      const page: z.output<typeof eventSnapshots.output> = read.body;
      ends.push([page.ts.length, page.has_more, page.next_start_ts]);
      start_ts = page.next_start_ts;
    }
    assert.ok(closeS >= startS + 500 && closeS < startS + 1_000);
    assert.deepEqual(ends, [
      [5_000, true, startS + 500],
      [Math.floor((closeS - startS - 500) * 10) + 1, false, null],
    ]);
  });

  it('without bounds are those of the event from its open to its close', async () => {
    const event = await newEvent(seededRandom(24), 2);
    const closeS = Math.max(...(events.get(event) ?? []).map(({ closeUs }) => closeUs)) / 1e6;
    const openS = openUs / 1e6;
    const timesOf = async (bounds: object) => {
      const { body } = await tested.callers.read(eventSnapshots, { event_id: event, step_ms: 60_000, ...bounds });
      assert.equal(body.has_more, false);
      return [body.ts[0], body.ts.at(-1)];
    };
    const [first, last] = [Math.ceil(openS / 60) * 60, Math.floor(closeS / 60) * 60];
    assert.deepEqual(await timesOf({}), [first, last]);
    assert.deepEqual(await timesOf({ end_ts: closeS - 60 }), [first, last - 60]);
    assert.deepEqual(await timesOf({ start_ts: openS - 600 }), [first - 600, last]);
    assert.deepEqual(await timesOf({ start_ts: openS - 600, end_ts: closeS + 600 }), [first - 600, last + 600]);
  });

  it('have a row for each market and time in the other forms', async () => {
    const event = await newEvent(seededRandom(22), 2);
    const window = { event_id: event, start_ts: openUs / 1e6, end_ts: openUs / 1e6 + 10 };
    const { body } = await tested.callers.read(eventSnapshots, window);
    const csv = await tested.callers.bytes(eventSnapshots, { ...window, format: 'csv' });
    const [header, ...lines] = csv.bytes.toString().trimEnd().split('\r\n');
    assert.equal(header, '"ts","ticker","yes_best_bid","yes_best_ask","age_ms"');
    const cells = body.markets.flatMap(({ ticker, yes_best_bid, yes_best_ask, age_ms }) =>
      body.ts.map((ts, at) =>
        [ts, `"${ticker}"`, yes_best_bid[at] ?? '', yes_best_ask[at] ?? '', age_ms[at] ?? ''].join(','),
      ),
    );
    assert.deepEqual(lines, cells);
    assert.equal(csv.meta.head?.['event_ticker'], event);
  });

  it('are empty for an event without markets, and refused for an unknown one', async () => {
    events.set('E-EMPTY', []);
    const window = { start_ts: openUs / 1e6, end_ts: openUs / 1e6 + 10 };
    const { body } = await tested.callers.read(eventSnapshots, { event_id: 'E-EMPTY', ...window });
    assert.deepEqual([body.count, body.markets, body.ts.length], [0, [], 10]);
    await assert.rejects(tested.callers.read(eventSnapshots, { event_id: 'NO-SUCH', ...window }), /event_not_found/);
  });
});
