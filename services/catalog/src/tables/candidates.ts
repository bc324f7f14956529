import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { readRows, type QueryContext } from './read-rows.js';
import { allOf, type Condition } from './filters.js';
import { byPosition, type Position } from './position.js';

/** What to read of a market in addition to its position. */
export interface Shape<Row extends z.ZodType> {
  readonly columns: string;
  /** Parses these columns and `ticker`. */
  readonly row: Row;
}

/** Markets that match a condition. The condition is over columns of `markets` and never null. */
export interface MarketSelection<Row extends z.ZodType> extends Shape<Row> {
  readonly condition: Condition;
}

export interface RankedRow<Row> {
  readonly position: Position;
  readonly row: Row;
}

/** The best matches of a condition. `edge` is the position up to which was searched. Null: to the end. */
export interface CandidatePage<Row> {
  readonly matches: readonly RankedRow<Row>[];
  readonly edge: Position | null;
}

interface Span {
  /** Desired number of matches. There may be fewer before the edge, or more. */
  readonly countHint: number;
  readonly after?: Position | null;
}

/**
 * The verified matches of each condition, in one statement without FINAL
 * (docs/decisions/020-candidates-are-verified.md). The first rows of a condition come from `markets_by_close`, whose order is that of
 * the listing, and may be outdated (docs/decisions/147-markets-by-close.md). The rows of their tickers in `markets` follow, of which
 * the newest decides. The matches up to the last row of a condition, the edge, are complete.
 */
export const candidates = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  { conditions, span, columns, row }: Shape<Row> & { conditions: readonly Condition[]; span: Span },
  { signal }: QueryContext,
): Promise<CandidatePage<z.output<Row>>[]> => {
  const conditionsAfter = conditions.map((condition) => allOf(condition, isAfter(span.after)));
  const params = { ...allOf(...conditionsAfter).params, rows_max: rowsFor(span.countHint) };
  const stored = await readRows(clickhouse, { sql: verifiedSql(conditionsAfter, columns), params, signal }, storedRow);
  const newest = newestOf(stored);
  return conditionsAfter.map((_, index) => {
    const edge = edgeOf(stored, index);
    const matches = stored
      .filter((one) => one.fits[index] === 1 && newest.get(one.ticker) === one && isUpTo(edge, positionOf(one)))
      .map((one) => ({ position: positionOf(one), row: row.parse(one) }));
    return { matches: matches.toSorted((a, b) => byPosition(a.position, b.position)), edge };
  });
};

/**
 * For each condition: whether a row of `markets` fits, and the close of the last of its first rows if there may be more, beside the
 * market of that row.
 */
const verifiedSql = (conditions: readonly Condition[], columns: string): string => {
  const best = conditions.map(
    (condition, index) =>
      `(SELECT groupArray((close_key, ticker)) FROM (SELECT close_key, ticker FROM markets_by_close WHERE ${hinted(condition)}
      ORDER BY close_key DESC, ticker LIMIT {rows_max:UInt32})) AS best_${index}`,
  );
  const edges = conditions.map(
    (_, index) =>
      `if(length(best_${index}) = {rows_max:UInt32} AND ticker = best_${index}[-1].2, best_${index}[-1].1, NULL)`,
  );
  return `WITH ${best.join(', ')}
    SELECT ticker, seq, close_key, [${conditions.map(({ sql }) => `toUInt8(${sql})`).join(', ')}] AS fits,
      [${edges.join(', ')}] AS edges, ${columns}
    FROM markets WHERE ticker IN (SELECT arrayJoin(arrayConcat(${conditions.map((_, index) => `best_${index}`).join(', ')})).2)`;
};

const hinted = ({ sql, hint }: Condition): string => (hint === undefined ? sql : `${hint} AND ${sql}`);

const edgeOf = (stored: readonly StoredRow[], index: number): Position | null => {
  const last = stored.find(({ edges }) => (edges[index] ?? null) !== null);
  return last === undefined ? null : { key: last.edges[index] ?? 0, id: last.ticker };
};

const candidateColumns = 'ticker, close_key, close_us, known, series, event_ticker, category, words, seq' as const;
const noneIfEmpty = "if(series = '', '-', series)";

/** SQL that copies all rows of a markets table into a table of candidates. Later inserts into `markets` are copied by a view. */
export const allCandidatesSql = ({ from, into }: { from: string; into: string }): string =>
  `INSERT INTO ${into} (${candidateColumns}, series_or_none) SELECT ${candidateColumns}, ${noneIfEmpty} FROM ${from}`;

/** Attempts with candidates. If they are not enough, too many outdated rows await a merge, and FINAL is used. */
const roundsMax = 3;

/** The first `limit` matching markets, in order. All if there are fewer. */
export const markets = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  { condition, ...shape }: MarketSelection<Row>,
  { limit, queryContext, after = null }: { limit: number; queryContext: QueryContext; after?: Position | null },
): Promise<RankedRow<z.output<Row>>[]> => {
  const matches = new Map<string, RankedRow<z.output<Row>>>();
  let from = after;
  for (let round = 1; round <= roundsMax; round += 1) {
    const span = { countHint: (limit - matches.size) * round, after: from };
    const [found] = await candidates(clickhouse, { ...shape, conditions: [condition], span }, queryContext);
    // A market that changed between two rounds may appear in both.
    for (const match of found?.matches ?? []) matches.set(match.position.id, match);
    from = found?.edge ?? null;
    if (from === null || matches.size >= limit) return [...matches.values()].slice(0, limit);
  }
  const left = { limit: limit - matches.size, queryContext };
  const conditionsAfter = { ...shape, condition: allOf(condition, isAfter(from)) };
  for (const match of await readWithFinal(clickhouse, conditionsAfter, left)) matches.set(match.position.id, match);
  return [...matches.values()];
};

/** The same with FINAL, which takes time in proportion to the table's size. */
const readWithFinal = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  { condition, columns, row }: MarketSelection<Row>,
  { limit, queryContext: { signal } }: { limit: number; queryContext: QueryContext },
): Promise<RankedRow<z.output<Row>>[]> => {
  const sql = `SELECT ticker, seq, close_key, ${columns} FROM markets FINAL WHERE ${condition.sql}
    ORDER BY close_key DESC, ticker LIMIT {rows_max:UInt32}`;
  const params = { ...condition.params, rows_max: limit };
  const found = await readRows(clickhouse, { sql, params, signal, settings: { max_threads: 2 } }, current);
  return found.map((one) => ({ position: positionOf(one), row: row.parse(one) }));
};

export const anyMarket = async (
  clickhouse: ClickHouse,
  condition: Condition,
  queryContext: QueryContext,
): Promise<boolean> => {
  const selection = { columns: 'known', row: z.unknown(), condition };
  return (await markets(clickhouse, selection, { limit: 1, queryContext })).length > 0;
};

export const marketsById = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  { columns, row }: Shape<Row>,
  { tickers, queryContext: { signal } }: { tickers: readonly string[]; queryContext: QueryContext },
): Promise<ReadonlyMap<string, z.output<Row>>> => {
  if (tickers.length === 0) return new Map();
  const sql = `SELECT ticker, seq, close_key, ${columns} FROM markets WHERE ticker IN {tickers:Array(String)}`;
  const newest = newestOf(await readRows(clickhouse, { sql, params: { tickers }, signal }, current));
  return new Map([...newest].map(([ticker, one]) => [ticker, row.parse(one)]));
};

/** A tenth more for outdated rows, and four. Each row costs a granule of every column. */
const rowsFor = (matches: number): number => Math.ceil(matches * 1.1) + 4;

const current = z.looseObject({ ticker: z.string(), seq: z.int(), close_key: z.int() });
const storedRow = current.extend({
  fits: z.array(z.literal([0, 1])),
  edges: z.array(z.int().nullable()),
});
type StoredRow = z.output<typeof storedRow>;
type Current = z.output<typeof current>;

export const positionOf = ({ close_key, ticker }: Pick<Current, 'close_key' | 'ticker'>): Position => ({
  key: close_key,
  id: ticker,
});

const isUpTo = (edge: Position | null, position: Position): boolean => edge === null || byPosition(position, edge) <= 0;

/** The newest row of each ticker. Rows with equal sequence are equal. */
export const newestOf = <Row extends Pick<Current, 'ticker' | 'seq'>>(
  stored: readonly Row[],
): ReadonlyMap<string, Row> => {
  const newest = new Map<string, Row>();
  for (const row of stored) {
    if ((newest.get(row.ticker)?.seq ?? -1) < row.seq) newest.set(row.ticker, row);
  }
  return newest;
};

export const isAfter = (after: Position | null | undefined): Condition =>
  after
    ? {
        sql: '(close_key < {after_key:Int64} OR (close_key = {after_key:Int64} AND ticker > {after_ticker:String}))',
        params: { after_key: after.key, after_ticker: after.id },
      }
    : allOf();
