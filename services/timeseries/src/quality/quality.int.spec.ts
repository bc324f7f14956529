import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Bus } from '@almanac/bus';
import { type Handlers, serveContracts } from '@almanac/bus/server';
import { catalogRpc, DomainError, type MarketQuality, timeseriesRpc, utcDayOf } from '@almanac/contracts';
import { createLogger } from '@almanac/runtime';
import { eventually, readArrow, seededRandom } from '@almanac/testing';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { z } from 'zod';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';
import { oneOf, pick } from '../testing/random.js';
import { countedSeconds, statedBookQuality } from './testing/counted-seconds.js';
import { type RecordedMarket, storeMarket } from './testing/recorded-markets.js';

const { quality } = timeseriesRpc;
type Input = z.input<typeof quality.input>;
const second = 1_000_000;
const hour = 3_600 * second;
const nowUs = Math.floor(Date.now() / 1_000) * second;
const today = utcDayOf(nowUs);
const dayUs = 24 * hour;
const firstUs = Math.floor(nowUs / dayUs) * dayUs - 3 * dayUs;
const [day0, day2] = [utcDayOf(firstUs), utcDayOf(firstUs + 2 * dayUs)];

const stored: RecordedMarket[] = [];
const contracts = { marketsOpenIn: catalogRpc.marketsOpenIn };
const handlers: Handlers<typeof contracts> = {
  marketsOpenIn: ({ series, start_us, end_us, as_of }) => ({
    tickers: stored
      .filter(({ openUs, closeUs }) => series === 'S' && openUs < end_us && closeUs > start_us)
      .map(({ ticker }) => ticker),
    unknown: series === 'S' ? null : { detail: 'The archive has no such series.', nearest: 'S' },
    as_of,
  }),
};

describe('the quality of markets', () => {
  let tested: TimeseriesHarness;
  let catalog: Bus;
  let serving: Awaited<ReturnType<typeof serveContracts>>;
  before(async () => {
    tested = await startHarness();
    catalog = await tested.fixture.busOf('catalog');
    serving = await serveContracts(catalog, contracts, handlers, createLogger('test', 'silent'));
    await tested.fixture.series({ id: 'S', shape: 'rolling' });
    const random = seededRandom(115);
    for (let at = 0; at < 36; at += 1) {
      const isLive = at % 6 === 0;
      const openUs = isLive ? nowUs - pick(random, 1, 30) * hour : firstUs + pick(random, -12, 70) * hour;
      const closeUs = isLive ? nowUs + hour : openUs + oneOf(random, [900 * second, hour, 26 * hour]);
      stored.push(await storeMarket(tested, random, { ticker: `M-${10 + at}`, openUs, closeUs, nowUs }));
    }
    const live = stored.filter(({ closeUs }) => closeUs > nowUs);
    assert.ok(
      live.length > 3 && stored.some(({ rows }) => rows.length === 0) && stored.some(({ spans }) => spans.length === 0),
    );
    await eventually(async () => {
      const { body } = await read({ from: day0, to: today, limit: 200 });
      const inRange = stored.filter(({ closeUs }) => closeUs > firstUs);
      assert.deepEqual(
        Object.fromEntries(body.markets.map(({ ticker, rows }) => [ticker, rows])),
        Object.fromEntries(inRange.map(({ ticker, rows }) => [ticker, rows.filter(({ us }) => us >= firstUs).length])),
      );
    });
  });
  after(async () => {
    await serving.stop();
    await catalog.close();
    await tested.stop();
  });

  const read = (input: Input) => tested.callers.read(quality, { series: 'S', ...input });
  const named = (ticker: string): RecordedMarket => {
    const found = stored.find((one) => one.ticker === ticker);
    if (found === undefined) throw new Error(`no ${ticker}`);
    return found;
  };
  const rangeOf = ({ start_ts, end_ts }: { start_ts: number; end_ts: number }) => ({
    startUs: Math.round(start_ts * 1e6),
    endUs: Math.round(end_ts * 1e6),
  });
  const round = (seconds: number | null): number | null => (seconds === null ? null : Math.round(seconds * 1e6) / 1e6);
  it('is that of their spans second by second, and of their rows', async () => {
    const seen = new Set<string | null>();
    for (const days of [{ from: day0, to: today }, { from: day0 }, { to: day2 }, { from: today }]) {
      const { body } = await read({ ...days, limit: 200 });
      const range = rangeOf(body);
      for (const found of body.markets) {
        const market = named(found.ticker);
        const rows = market.rows.filter(({ us }) => us >= range.startUs && us < range.endUs);
        const { covered_s, expected_s } = countedSeconds(market, range);
        const trades = market.tradesUs.filter((us) => us >= range.startUs && us < range.endUs).length;
        assert.partialDeepStrictEqual(found, {
          covered_s: round(covered_s),
          expected_s: round(expected_s),
          rows: rows.length,
          books: rows.filter(({ book }) => book).length,
          trades: market.tradesUs.length === 0 ? null : trades,
          first_ts: rows.length === 0 ? null : (rows[0]?.us ?? 0) / 1e6,
          last_ts: rows.length === 0 ? null : (rows.at(-1)?.us ?? 0) / 1e6,
          book_quality: statedBookQuality(market, range),
        });
        seen.add(found.book_quality);
      }
      assert.equal(body.markets_n, body.count);
      assert.equal(body.markets_with_gaps_n, body.markets.filter(({ gaps_n }) => gaps_n > 0).length);
    }
    assert.deepEqual(seen, new Set(['contradicted', 'unverifiable', 'verified', null]));
  });

  it('has the gaps of the preview that reach into the range, each with the basis of the span before it', async () => {
    const { body } = await read({ from: day0, to: day2, limit: 200 });
    const [startS, endS] = [body.start_ts, body.end_ts];
    let [listed, left, based] = [0, 0, 0];
    for (const { ticker, gaps, gaps_n, gap_s, longest_gap_s } of body.markets) {
      const preview = await eventually(async () => {
        const answer = await tested.callers.preview(ticker);
        assert.equal(answer.body.pending, false);
        return answer.body.coverage;
      });
      const all = preview?.gaps ?? [];
      const inside = all.filter(
        ({ start_ts, end_ts }) => start_ts < endS && (end_ts ?? Number.POSITIVE_INFINITY) > startS,
      );
      assert.deepEqual(
        gaps.map(({ basis: _basis, ...gap }) => gap),
        inside,
      );
      for (const { start_ts, basis, missing } of gaps) {
        const earlier = named(ticker).spans.filter(
          ({ end_us, layer }) => end_us === Math.round(start_ts * 1e6) && (missing === 'all' || layer === 'l2'),
        );
        assert.ok(
          earlier.length === 0 ? basis === null : earlier.some((span) => span.basis === basis),
          `${ticker} ${start_ts}`,
        );
        if (basis !== null) based += 1;
      }
      const lengths = inside.map(({ start_ts, end_ts }) => Math.min(end_ts ?? endS, endS) - Math.max(start_ts, startS));
      assert.deepEqual(
        [gaps_n, gap_s, longest_gap_s].map(round),
        [inside.length, lengths.reduce((sum, one) => sum + one, 0), Math.max(0, ...lengths)].map(round),
      );
      listed += inside.length;
      left += all.length - inside.length;
    }
    assert.ok(
      listed > 20 && left > 0 && based > 5,
      `${listed} gaps in the range, ${left} outside, ${based} with a basis`,
    );
  });

  const all = async (input: Input): Promise<MarketQuality[]> => {
    const items: MarketQuality[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: z.output<typeof quality.output> } = await read({ ...input, cursor });
      assert.equal(body.has_more, body.next_cursor !== null);
      items.push(...body.markets);
      cursor = body.next_cursor;
    } while (cursor !== null);
    return items;
  };

  it('is listed by the worst or by time, each market once, whatever the page', async () => {
    const days = { from: day0, to: day2 } as const;
    const whole = await all({ ...days, limit: 200 });
    assert.deepEqual(await all({ ...days, limit: 7 }), whole);
    const shares = whole.flatMap(({ covered_share }) => covered_share ?? []);
    assert.deepEqual(
      shares,
      shares.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(whole.map(({ ticker }) => ticker)).size, whole.length);
    // Nothing is stored of it, so it is among the worst although nothing states its completeness.
    const empty = whole.findIndex(({ rows, covered_s, gaps_n }) => rows === 0 && covered_s === null && gaps_n > 0);
    assert.ok(empty === -1 || whole.slice(0, empty).every(({ covered_share }) => (covered_share ?? 0) === 0));
    const byTime = await all({ ...days, sort: 'time', limit: 5 });
    assert.deepEqual(
      byTime.map(({ open_ts }) => open_ts),
      byTime.map(({ open_ts }) => open_ts).toSorted((a, b) => (a ?? 0) - (b ?? 0)),
    );
    const [bad, good] = [
      await all({ ...days, has_gaps: true, limit: 9 }),
      await all({ ...days, has_gaps: false, limit: 9 }),
    ];
    assert.deepEqual(
      bad,
      whole.filter(({ gaps_n }) => gaps_n > 0),
    );
    assert.deepEqual(
      good,
      whole.filter(({ gaps_n }) => gaps_n === 0),
    );
    assert.ok(bad.length > 0 && good.length > 0);
  });

  it('adds up by day and by hour', async () => {
    for (const by of ['day', 'hour'] as const) {
      const { body } = await read({ from: day0, to: today, by, sort: 'time', limit: 200 });
      const { body: markets } = await read({ from: day0, to: today, limit: 200 });
      assert.deepEqual([body.markets_n, body.markets_with_gaps_n], [markets.markets_n, markets.markets_with_gaps_n]);
      assert.equal(body.count, Math.ceil((body.end_ts - body.start_ts) / (by === 'day' ? 86_400 : 3_600)));
      for (const period of body.periods) {
        const range = rangeOf(period);
        const open = stored.filter(({ openUs, closeUs }) => openUs < range.endUs && closeUs > range.startUs);
        const counted = open.map((market) => countedSeconds(market, range));
        const known = counted.flatMap(({ covered_s }) => covered_s ?? []);
        const gapsOf = (ticker: string) =>
          (markets.markets.find((one) => one.ticker === ticker)?.gaps ?? []).filter(
            ({ start_ts, end_ts }) => start_ts < period.end_ts && (end_ts ?? body.end_ts) > period.start_ts,
          );
        const gaps = stored.map(({ ticker }) => gapsOf(ticker).length);
        const inRange = (us: number): boolean => us >= range.startUs && us < range.endUs;
        assert.partialDeepStrictEqual(period, {
          markets_n: open.length,
          markets_with_gaps_n: gaps.filter((n) => n > 0).length,
          covered_s: known.length === 0 ? null : round(known.reduce((sum, one) => sum + one, 0)),
          expected_s: round(counted.reduce((sum, { expected_s }) => sum + expected_s, 0)),
          gaps_n: gaps.reduce((sum, n) => sum + n, 0),
          rows: markets.markets.flatMap(({ ticker }) => named(ticker).rows.filter(({ us }) => inRange(us))).length,
          trades: markets.markets.flatMap(({ ticker }) => named(ticker).tradesUs.filter(inRange)).length,
        });
      }
      const worst = await read({ from: day0, to: day2, by, limit: 200 });
      const shares = worst.body.periods.flatMap(({ covered_share }) => covered_share ?? []);
      assert.deepEqual(
        shares,
        shares.toSorted((a, b) => a - b),
      );
    }
  });

  it('is the same in the other forms, with figures of the gaps in place of their list', async () => {
    for (const by of ['market', 'hour'] as const) {
      const input = { series: 'S', from: day0, to: day2, by, limit: 200 } as const;
      const { body } = await read(input);
      const items = [...body.markets.map(({ gaps: _gaps, ...flat }) => flat), ...body.periods];
      const lines = await tested.callers.bytes(quality, { ...input, format: 'ndjson' });
      const parsed = lines.bytes
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
      assert.deepEqual(parsed, items);
      assert.equal(lines.meta.head?.['count'], items.length);
      const csv = (await tested.callers.bytes(quality, { ...input, format: 'csv' })).bytes
        .toString()
        .trimEnd()
        .split('\r\n');
      assert.equal(
        csv[0],
        Object.keys(items[0] ?? {})
          .map((name) => `"${name}"`)
          .join(','),
      );
      const cell = (value: string | number | null): string =>
        typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : `${value ?? ''}`;
      assert.deepEqual(
        csv.slice(1),
        items.map((item) => Object.values(item).map(cell).join(',')),
      );
      const { bytes } = await tested.callers.bytes(quality, { ...input, format: 'parquet' });
      const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors });
      const plain = (value: unknown): unknown => {
        if (value instanceof Date) return value.getTime() / 1_000;
        return typeof value === 'bigint' ? Number(value) : value;
      };
      const plainRow = (row: object): object =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]));
      const found = rows.map(plainRow);
      assert.deepEqual(found, items);
      const arrow = readArrow((await tested.callers.bytes(quality, { ...input, format: 'arrow' })).bytes);
      assert.deepEqual([arrow.rows.map(plainRow), arrow.timeZones], [items, ['UTC']]);
    }
  });

  it('is refused without one target and with other days than an answer may have', async () => {
    const refused = (code: string) => (error: unknown) => error instanceof DomainError && error.code === code;
    await assert.rejects(tested.callers.read(quality, {}), refused('invalid_input'));
    await assert.rejects(read({ event: 'E' }), refused('invalid_input'));
    await assert.rejects(read({ from: day2, to: day0 }), refused('invalid_window'));
    await assert.rejects(read({ from: '2026-01-01', to: '2026-02-01' }), refused('invalid_window'));
    await assert.rejects(read({ from: '2090-01-01' }), refused('invalid_window'));
    await assert.rejects(read({ cursor: 'x' }), refused('invalid_cursor'));
    const { next_cursor } = (await read({ from: day0, limit: 1 })).body;
    await assert.rejects(read({ from: day0, limit: 1, sort: 'time', cursor: next_cursor }), refused('invalid_cursor'));
    const yesterday = (await read({})).body;
    assert.deepEqual([yesterday.from, yesterday.to], [day2, day2]);
    const unknown = await tested.callers.read(quality, { series: 'X', from: day0 });
    assert.deepEqual([unknown.body.count, unknown.meta.notices?.[0]?.loc], [0, ['query', 'series']]);
  });
});
