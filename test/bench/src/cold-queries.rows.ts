import { rows } from '@almanac/clickhouse';
import { z } from 'zod';
import { selectOne } from './clickhouse-request.js';
import { getRequest } from './http-side.js';
import { timesResult } from './load-job.js';
import { median } from './pairs.js';
import type { BenchRow, Measured, Threshold } from './row.js';
import { type KnownIds, searchesOf } from './searches.js';
import type { BenchHarness } from './harness.js';

interface BenchQuery {
  /** Each kind has separate figures. */
  readonly kind: string;
  readonly path: string;
}

interface QuerySet {
  /** Part of every answer. */
  readonly text: string;
  /** At most `most` queries, each sent once. */
  readonly queriesOf: (ids: KnownIds, most: number) => BenchQuery[];
}

/**
 * A time alone also measures disturbances of the machine. So each first-time query follows a `SELECT 1` to the same
 * engine, and the row compares the two times.
 */
const times =
  ({ queriesOf, text }: QuerySet) =>
  async (harness: BenchHarness): Promise<Measured> => {
    const { warmN, measuredN } = harness.size.firstAsks;
    const most = warmN + measuredN;
    const all = spread(queriesOf(await knownIds(harness), most), most);
    const nothing = await selectOne(harness.clickhouse);
    const measure = async (some: typeof all) => {
      const requests = some.map(({ path }) => getRequest(`/api/v1${path}`, harness.gateway.headers));
      const ours = { port: harness.gateway.port, requests, check: { kind: 'text', text } };
      return harness.load.send({ kind: 'times', ours, reference: nothing }, timesResult);
    };
    await measure(all.slice(0, warmN));
    const measured = all.slice(warmN);
    const { ours, reference } = await measure(measured);
    const [late, usual] = [quantile(ours, 0.95), median(reference)];
    return {
      ours: late,
      reference: usual,
      ratio: late / usual,
      notes: [
        `ours ${summary(ours)}; SELECT 1 ${summary(reference)}; p50 ${(median(ours) / usual).toFixed(1)} x`,
        ...byKind(measured, ours),
      ],
    };
  };

/** At most this many items, from all over the list. */
const spread = <T>(list: readonly T[], most: number): T[] => {
  const every = Math.max(1, list.length / most);
  return list.filter((_, index) => Math.floor(index / every) !== Math.floor((index - 1) / every));
};

const summary = (times_: readonly number[]): string =>
  `p50 ${quantile(times_, 0.5).toFixed(1)} ms, p95 ${quantile(times_, 0.95).toFixed(1)} ms, most ${quantile(times_, 1).toFixed(1)} ms (${times_.length})`;

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))] ?? Number.NaN;

/** The slowest kinds first. */
const byKind = (measured: readonly { kind: string; path: string }[], took: readonly number[]): string[] => {
  const kinds = Map.groupBy(measured.keys(), (index) => measured[index]?.kind ?? '');
  const of = [...kinds].map(([kind, indexes]) => ({ kind, ms: indexes.map((index) => took[index] ?? Number.NaN) }));
  return of
    .toSorted((a, b) => quantile(b.ms, 0.5) - quantile(a.ms, 0.5))
    .map(({ kind, ms }) => `  ${kind.padEnd(30)} ${summary(ms)}`);
};

/** 500 markets, 500 events and all series, in an order independent of their ids. */
const knownIds = async ({ admin, size }: BenchHarness): Promise<KnownIds> => {
  const ids = async (column: string, table: string): Promise<string[]> => {
    const sql = `SELECT ${column} AS id FROM ${table} WHERE startsWith(${column}, 'KX') AND cityHash64(${column}) % {every:UInt32} = 0
      ORDER BY cityHash64(${column}) LIMIT 500`;
    // Half as many markets again as needed, since hashes are not spread evenly.
    const params = { every: table === 'markets' ? Math.ceil((size.catalogue.marketsN * 3) / 2_000) : 1 };
    return (await rows(admin, { sql, params }, z.object({ id: z.string() }))).map(({ id }) => id);
  };
  const [markets, events, series] = [
    await ids('ticker', 'markets'),
    await ids('event_ticker', 'events'),
    await ids('id', 'series'),
  ];
  return { markets, events, series };
};

const searches: QuerySet = {
  text: '"hits":[',
  queriesOf: (ids, most) =>
    searchesOf(ids, most).map(({ kind, params }) => ({
      kind,
      path: `/search?${new URLSearchParams(params).toString()}`,
    })),
};

/** A listing with every kind of filter. */
const listings: QuerySet = {
  text: '"markets":[',
  queriesOf: ({ series, events }) => [
    ...series.slice(0, 200).map((id) => ({ kind: 'of a series', path: `/markets?series=${id}` })),
    ...events.slice(0, 120).map((id) => ({ kind: 'of an event', path: `/markets?event=${id}` })),
    ...events.slice(120, 180).map((id, n) => ({
      kind: 'of a time, by words',
      path: `/markets?q=${id.slice(2, 5)}&to_ts=${1_735_000_000 + n * 1_000_000}&limit=200`,
    })),
  ],
};

const details: QuerySet = {
  text: '"markets":[',
  queriesOf: ({ series }) => series.map((id) => ({ kind: 'as it is', path: `/series/${id}` })),
};

const row = (name: string, querySet: QuerySet, threshold: Threshold | null = null): BenchRow => ({
  name,
  threshold,
  unit: 'ms',
  against: 'SELECT 1 over HTTP, median',
  measure: times(querySet),
});

export const coldQueryRows: readonly BenchRow[] = [
  row('search never asked before, p95', searches, { below: 25 }),
  row('markets never asked before, p95', listings),
  row('series by id never asked before, p95', details),
];
