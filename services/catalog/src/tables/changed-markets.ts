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
  readonly edge: number;
}

interface Span {
  /** The sequences of a partition are equal modulo the number of partitions (libs/bus/src/partitions.ts). */
  readonly partition: number;
  readonly partitions: number;
  readonly after: number;
  /** The tables contain every change up to this sequence. */
  readonly upTo: number;
  readonly limit: number;
}

/** Each attempt reads four times as many rows, so outdated rows that await a merge end none of them too early. */
const roundsMax = 6;

/**
 * Markets that match a condition and changed last in a span of sequences of a partition, the earliest change first: at least `limit`, or
 * all up to the edge. A market that changed again after the span is not in it, because its row has its last change.
 */
export const changedMarkets = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  selection: MarketSelection<Row>,
  { partition, partitions, after, upTo, limit, queryContext }: Span & { readonly queryContext: QueryContext },
): Promise<ChangedPage<z.output<Row>>> => {
  const matches: ChangedRow<z.output<Row>>[] = [];
  let edge = after;
  for (let round = 0; round < roundsMax && edge < upTo && matches.length < limit; round += 1) {
    const span = { partition, partitions, after: edge, upTo, limit: (limit - matches.length) * 4 ** round };
    const found = await verifiedChanges(clickhouse, selection, { ...span, queryContext });
    matches.push(...found.matches);
    edge = found.edge;
  }
  return { matches, edge };
};

const storedRow = z.looseObject({ ticker: z.string(), seq: z.int(), fits: z.literal([0, 1]) });

/**
 * One statement without FINAL, as in `candidates`: the inner query finds the first changes, also outdated ones. The outer
 * query reads every row of their markets, of which the newest decides.
 */
const verifiedChanges = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  { condition, columns, row }: MarketSelection<Row>,
  {
    partition,
    partitions,
    after,
    upTo,
    limit,
    queryContext: { signal },
  }: Span & { readonly queryContext: QueryContext },
): Promise<ChangedPage<z.output<Row>>> => {
  const ofPartition = partitions === 1 ? '' : ' AND seq % {partitions:UInt8} = {partition:UInt8}';
  const inSpan = allOf(condition, {
    sql: `(seq > {after_seq:UInt64} AND seq <= {up_to_seq:UInt64}${ofPartition})`,
    params: { after_seq: after, up_to_seq: upTo, ...(partitions === 1 ? {} : { partitions, partition }) },
  });
  const sql = `SELECT ticker, seq, toUInt8(${inSpan.sql}) AS fits, ${columns} FROM markets
    WHERE ticker IN (SELECT ticker FROM markets WHERE ${inSpan.sql} ORDER BY seq LIMIT {rows_max:UInt32})`;
  const stored = await readRows(clickhouse, { sql, params: { ...inSpan.params, rows_max: limit }, signal }, storedRow);
  const newest = newestOf(stored);
  const fitting = stored.filter(({ fits }) => fits === 1).toSorted((a, b) => a.seq - b.seq);
  const edge = fitting[limit - 1]?.seq ?? upTo;
  const matches = fitting.filter((one) => one.seq <= edge && newest.get(one.ticker) === one);
  return { matches: matches.map((one) => ({ seq: one.seq, row: row.parse(one) })), edge };
};
