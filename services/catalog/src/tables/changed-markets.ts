import { hasRead, type StreamPosition } from '@almanac/bus';
import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { type MarketSelection, newestOf } from './candidates.js';
import { allOf } from './filters.js';
import { readRows, type QueryContext } from './read-rows.js';

/** A market whose last change has this sequence. */
export interface ChangedRow<Row> {
  readonly seq: number;
  readonly row: Row;
}

/** Markets by their last change. All changes up to `edge` are in it. */
export interface ChangedPage<Row> {
  readonly matches: readonly ChangedRow<Row>[];
  /** At the end of a list: markets of which the tables have only a change after `upTo`. It is listed again when it is complete. */
  readonly early: readonly ChangedRow<Row>[];
  readonly edge: number;
}

interface Span {
  readonly partition: number;
  readonly after: number;
  /** The tables contain every change up to this position. */
  readonly upTo: StreamPosition;
  readonly limit: number;
}

/** Each attempt reads four times as many rows, so outdated rows that await a merge end none of them too early. */
const roundsMax = 6;

/**
 * Markets that match a condition and changed last in a span of sequences of a partition, the earliest change first: at
 * least `limit`, or all up to the edge. A market that changed again after the span is not in it. But a change after `upTo`
 * may already have a row, and its market is in the span until that change is complete.
 */
export const changedMarkets = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  selection: MarketSelection<Row>,
  { partition, after, upTo, limit, queryContext }: Span & { readonly queryContext: QueryContext },
): Promise<ChangedPage<z.output<Row>>> => {
  const end = upTo[partition] ?? 0;
  const matches: ChangedRow<z.output<Row>>[] = [];
  let early: ChangedPage<z.output<Row>>['early'] = [];
  let edge = after;
  for (let round = 0; round < roundsMax && edge < end && matches.length < limit; round += 1) {
    const span = { partition, after: edge, upTo, limit: (limit - matches.length) * 4 ** round };
    const found = await verifiedChanges(clickhouse, selection, { ...span, queryContext });
    matches.push(...found.matches);
    ({ edge, early } = found);
  }
  return { matches, early, edge };
};

const storedRow = z.looseObject({ ticker: z.string(), seq: z.int(), fits: z.literal([0, 1]) });

/**
 * One statement without FINAL, as in `candidates`: the inner query finds the first changes, also outdated ones. The outer
 * query reads every row of their markets, of which the newest one up to `upTo` decides.
 */
const verifiedChanges = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  { condition, columns, row }: MarketSelection<Row>,
  { partition, after, upTo, limit, queryContext: { signal } }: Span & { readonly queryContext: QueryContext },
): Promise<ChangedPage<z.output<Row>>> => {
  const partitions = upTo.length;
  const ofPartition = partitions === 1 ? '' : ' AND seq % {partitions:UInt8} = {partition:UInt8}';
  const inSpan = allOf(condition, {
    sql: `(seq > {after_seq:UInt64}${ofPartition})`,
    params: { after_seq: after, ...(partitions === 1 ? {} : { partitions, partition }) },
  });
  const sql = `SELECT ticker, seq, toUInt8(${inSpan.sql}) AS fits, ${columns} FROM markets
    WHERE ticker IN (SELECT ticker FROM markets WHERE ${inSpan.sql} ORDER BY seq LIMIT {rows_max:UInt32})`;
  const stored = await readRows(clickhouse, { sql, params: { ...inSpan.params, rows_max: limit }, signal }, storedRow);
  const complete = newestOf(stored.filter(({ seq }) => hasRead(upTo, seq)));
  const newest = newestOf(stored);
  const fitting = stored.filter(({ fits }) => fits === 1).toSorted((a, b) => a.seq - b.seq);
  const end = upTo[partition] ?? 0;
  const edge = Math.min(fitting[limit - 1]?.seq ?? end, end);
  const changeOf = (one: z.output<typeof storedRow>) => ({ seq: one.seq, row: row.parse(one) });
  return {
    matches: fitting.filter((one) => one.seq <= edge && complete.get(one.ticker) === one).map(changeOf),
    early:
      edge < end
        ? []
        : fitting.filter((one) => !complete.has(one.ticker) && newest.get(one.ticker) === one).map(changeOf),
    edge,
  };
};
