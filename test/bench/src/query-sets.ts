import { type ClickHouse, rows } from '@almanac/clickhouse';
import { z } from 'zod';
import { clickhouseSide } from './clickhouse-request.js';
import type { BenchHarness } from './harness.js';
import { gatewaySide } from './http-side.js';
import { timesResult } from './load-job.js';
import { type KnownIds, searchesOf } from './searches.js';

interface BenchQuery {
  /** Each kind has separate figures. */
  readonly kind: string;
  readonly path: string;
}

/** Queries of one kind of read, which no earlier request of the run has sent. */
export interface QuerySet {
  /** Part of every answer. */
  readonly text: string;
  /** At most `most` queries, each sent once. */
  readonly queriesOf: (ids: KnownIds, most: number) => BenchQuery[];
}

/** Milliseconds of each query, and of a `SELECT 1` before it. */
export interface QueryTimes {
  readonly queries: readonly BenchQuery[];
  readonly ours: readonly number[];
  readonly reference: readonly number[];
}

/**
 * A time alone also measures disturbances of the machine. So each query follows a `SELECT 1` to the same engine, and a
 * row compares the two times.
 */
export const timesOf = async (harness: BenchHarness, { queriesOf, text }: QuerySet): Promise<QueryTimes> => {
  const { gateway, clickhouse, load, size } = harness;
  const { warmN, measuredN } = size.firstAsks;
  const most = warmN + measuredN;
  const all = spread(queriesOf(await knownIds(harness.admin, size.catalogue.marketsN), most), most);
  const { port, request } = await clickhouseSide(clickhouse, () => ({ sql: 'SELECT 1' }));
  const reference = { port, request: request(0), check: { kind: 'text', text: '1' } };
  const measure = async (queries: readonly BenchQuery[]) => {
    const side = gatewaySide(gateway, (index) => queries[index]?.path ?? '');
    const ours = { port: side.port, requests: queries.map((_, index) => side.request(index)) };
    return load.send({ kind: 'times', ours: { ...ours, check: { kind: 'text', text } }, reference }, timesResult);
  };
  await measure(all.slice(0, warmN));
  const queries = all.slice(warmN);
  return { queries, ...(await measure(queries)) };
};

/** At most this many items, from all over the list. */
const spread = <T>(list: readonly T[], most: number): T[] => {
  const every = Math.max(1, list.length / most);
  return list.filter((_, index) => Math.floor(index / every) !== Math.floor((index - 1) / every));
};

/** 500 markets, 500 events and all series, in an order independent of their ids. */
export const knownIds = async (admin: ClickHouse, marketsN: number): Promise<KnownIds> => {
  const ids = async (column: string, table: string): Promise<string[]> => {
    const sql = `SELECT ${column} AS id FROM ${table} WHERE startsWith(${column}, 'KX') AND cityHash64(${column}) % {every:UInt32} = 0
      ORDER BY cityHash64(${column}) LIMIT 500`;
    // Half as many markets again as needed, since hashes are not spread evenly.
    const params = { every: table === 'markets' ? Math.ceil((marketsN * 3) / 2_000) : 1 };
    return (await rows(admin, { sql, params }, z.object({ id: z.string() }))).map(({ id }) => id);
  };
  return {
    markets: await ids('ticker', 'markets'),
    events: await ids('event_ticker', 'events'),
    series: await ids('id', 'series'),
  };
};

export const searches: QuerySet = {
  text: '"hits":[',
  queriesOf: (ids, most) =>
    searchesOf(ids, most).map(({ kind, params }) => ({
      kind,
      path: `/search?${new URLSearchParams(params).toString()}`,
    })),
};

/** A listing with every kind of filter. */
export const listings: QuerySet = {
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

export const seriesById: QuerySet = {
  text: '"markets":[',
  queriesOf: ({ series }) => series.map((id) => ({ kind: 'as it is', path: `/series/${id}` })),
};

export const marketsByTicker: QuerySet = {
  text: '"market":{',
  queriesOf: ({ markets }) => markets.map((ticker) => ({ kind: 'as it is', path: `/markets/${ticker}` })),
};
