import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { ask, type Asking } from './ask.js';
import { allOf, type Condition } from './filters.js';
import { byPosition, type Position } from './position.js';

/** What is read of a market beside its position. */
export interface Shape<Row extends z.ZodType> {
  /** Columns and expressions of `markets`. */
  readonly columns: string;
  /** What they and `ticker` make. */
  readonly row: Row;
}

/** Markets that fit a condition, which is over the columns of `markets` and never null. */
export interface Wanted<Row extends z.ZodType> extends Shape<Row> {
  readonly condition: Condition;
}

export interface Answer<Row> {
  readonly position: Position;
  readonly row: Row;
}

/** The best of what fits a condition. `edge` is how far was looked; null: to the end. */
export interface Found<Row> {
  readonly answers: readonly Answer<Row>[];
  readonly edge: Position | null;
}

interface Span {
  /** Answers hoped for; there may be fewer before the edge, and more. */
  readonly hoped: number;
  /** Only what stands behind it. */
  readonly after?: Position | null;
}

/**
 * Candidates of each condition, verified, in one statement without FINAL.
 *
 * The table keeps rows of former states until they are merged away. An inner query finds the best rows of a condition,
 * former ones among them, and stops early by the indexes; the outer one reads every row of the tickers found. The
 * newest row of a ticker is its state, so the ticker is an answer if, and only if, that row fits. All markets before
 * the last row of the inner query are among those seen, so the answers up to there, the edge, are all there are.
 */
export const candidates = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  { conditions, span, columns, row }: Shape<Row> & { conditions: readonly Condition[]; span: Span },
  { signal }: Asking,
): Promise<Found<z.output<Row>>[]> => {
  const rowsMax = rowsFor(span.hoped);
  const wanted = conditions.map((condition) => allOf(condition, behind(span.after)));
  const best = wanted.map(
    ({ sql }) => `SELECT ticker FROM markets WHERE ${sql} ORDER BY close_key DESC, ticker LIMIT {rows_max:UInt32}`,
  );
  const sql = `SELECT ticker, seq, close_key, [${wanted.map((one) => `toUInt8(${one.sql})`).join(', ')}] AS fits, ${columns}
    FROM markets WHERE ticker IN (${best.map((one) => `(${one})`).join(' UNION ALL ')})`;
  const params = { ...allOf(...wanted).params, rows_max: rowsMax };
  const stored = await ask(clickhouse, { sql, params, signal }, storedRow);
  const newest = newestOf(stored);
  return wanted.map((_, index) => {
    const fitting = stored.filter(({ fits }) => fits[index] === 1);
    const edge = fitting.map(positionOf).toSorted(byPosition)[rowsMax - 1] ?? null;
    const answers = fitting
      .filter((one) => newest.get(one.ticker) === one && isUpTo(edge, positionOf(one)))
      .map((one) => ({ position: positionOf(one), row: row.parse(one) }));
    return { answers: answers.toSorted((a, b) => byPosition(a.position, b.position)), edge };
  });
};

/** Rounds by candidates; where they do not do, too many former rows wait to be merged, and FINAL passes over them. */
const roundsMax = 3;

/** The first `limit` markets that fit, in order; all, if there are fewer. */
export const markets = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  { condition, ...shape }: Wanted<Row>,
  { limit, asking, after = null }: { limit: number; asking: Asking; after?: Position | null },
): Promise<Answer<z.output<Row>>[]> => {
  const answers = new Map<string, Answer<z.output<Row>>>();
  let from = after;
  for (let round = 1; round <= roundsMax; round += 1) {
    const span = { hoped: (limit - answers.size) * round, after: from };
    const [found] = await candidates(clickhouse, { ...shape, conditions: [condition], span }, asking);
    // A market that changed between two rounds may stand in both.
    for (const answer of found?.answers ?? []) answers.set(answer.position.id, answer);
    from = found?.edge ?? null;
    if (from === null || answers.size >= limit) return [...answers.values()].slice(0, limit);
  }
  const left = { limit: limit - answers.size, asking };
  const wanted = { ...shape, condition: allOf(condition, behind(from)) };
  for (const answer of await decided(clickhouse, wanted, left)) answers.set(answer.position.id, answer);
  return [...answers.values()];
};

/** The same by FINAL, which takes as long as the table is large. */
const decided = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  { condition, columns, row }: Wanted<Row>,
  { limit, asking: { signal } }: { limit: number; asking: Asking },
): Promise<Answer<z.output<Row>>[]> => {
  const sql = `SELECT ticker, seq, close_key, ${columns} FROM markets FINAL WHERE ${condition.sql}
    ORDER BY close_key DESC, ticker LIMIT {rows_max:UInt32}`;
  const params = { ...condition.params, rows_max: limit };
  const found = await ask(clickhouse, { sql, params, signal, settings: { max_threads: 2 } }, current);
  return found.map((one) => ({ position: positionOf(one), row: row.parse(one) }));
};

/** The newest rows of these tickers, by ticker. */
export const marketsById = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  { columns, row }: Shape<Row>,
  { tickers, asking: { signal } }: { tickers: readonly string[]; asking: Asking },
): Promise<ReadonlyMap<string, z.output<Row>>> => {
  if (tickers.length === 0) return new Map();
  const sql = `SELECT ticker, seq, close_key, ${columns} FROM markets WHERE ticker IN {tickers:Array(String)}`;
  const newest = newestOf(await ask(clickhouse, { sql, params: { tickers }, signal }, current));
  return new Map([...newest].map(([ticker, one]) => [ticker, row.parse(one)]));
};

/** A tenth more for former rows, and some: each row costs a granule of every column. */
const rowsFor = (answers: number): number => Math.ceil(answers * 1.1) + 4;

const current = z.looseObject({ ticker: z.string(), seq: z.int(), close_key: z.int() });
const storedRow = current.extend({ fits: z.array(z.literal([0, 1])) });
type Current = z.output<typeof current>;

const positionOf = ({ close_key, ticker }: Current): Position => ({ key: close_key, id: ticker });

const isUpTo = (edge: Position | null, position: Position): boolean => edge === null || byPosition(position, edge) <= 0;

/** One row of each ticker: of equal sequence are equal rows. */
const newestOf = <Row extends Current>(stored: readonly Row[]): ReadonlyMap<string, Row> => {
  const newest = new Map<string, Row>();
  for (const row of stored) {
    if ((newest.get(row.ticker)?.seq ?? -1) < row.seq) newest.set(row.ticker, row);
  }
  return newest;
};

const behind = (after: Position | null | undefined): Condition =>
  after
    ? {
        sql: '(close_key < {after_key:Int64} OR (close_key = {after_key:Int64} AND ticker > {after_ticker:String}))',
        params: { after_key: after.key, after_ticker: after.id },
      }
    : allOf();
