import { isValidId } from '@almanac/bus';
import { microsOf } from '@almanac/contracts';

/** The filters of every listing. An empty text filters nothing. */
export interface GivenFilters {
  readonly status?: string | null | undefined;
  readonly category?: string | null | undefined;
  readonly q?: string | null | undefined;
  readonly from_ts?: number | null | undefined;
  readonly to_ts?: number | null | undefined;
}

export const statuses = ['live', 'closed', 'finalized'] as const;
export type Status = (typeof statuses)[number];

/** A window of close times. Both bounds are inclusive and finite. */
export interface Window {
  readonly fromUs: number;
  readonly toUs: number;
}

/** All filters except the words. Undefined: no filter. */
export interface Filters {
  readonly status?: Status | undefined;
  readonly category?: string | undefined;
  readonly window?: Window | undefined;
}

const usMax = 9_000_000_000_000_000;

/** Undefined if nothing can match: the status is unknown, or the category is no valid id. */
export const filtersOf = ({ status, category, from_ts, to_ts }: GivenFilters): Filters | undefined => {
  const known = statuses.find((name) => name === status);
  if ((status && known === undefined) || (category && !isValidId(category))) return undefined;
  const windowed = isGiven(from_ts) || isGiven(to_ts);
  return {
    status: known,
    category: category || undefined,
    window: windowed ? { fromUs: boundOf(from_ts, -usMax), toUs: boundOf(to_ts, usMax) } : undefined,
  };
};

const isGiven = (ts: number | null | undefined): ts is number => ts !== null && ts !== undefined;

/** Any number is accepted. One beyond the range is replaced by the range's end. */
const boundOf = (ts: number | null | undefined, otherwise: number): number =>
  isGiven(ts) ? Math.max(-usMax, Math.min(usMax, microsOf(ts))) : otherwise;

export interface Condition {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** On `markets_by_close`: follows from the condition, and an index finds its rows. */
  readonly hint?: string | undefined;
}

/** All conditions hold. Without conditions: true. */
export const allOf = (...conditions: readonly Condition[]): Condition => joined(conditions, 'AND', '1');

/** One condition holds. Without conditions: false. */
export const anyOf = (...conditions: readonly Condition[]): Condition => joined(conditions, 'OR', '0');

const joined = (conditions: readonly Condition[], by: 'AND' | 'OR', none: string): Condition => {
  const [first, ...others] = conditions;
  if (first === undefined) return { sql: none, params: {} };
  if (others.length === 0) return first;
  const params: Record<string, unknown> = {};
  for (const condition of conditions) Object.assign(params, condition.params);
  const hints = by === 'OR' ? [] : conditions.flatMap(({ hint }) => hint ?? []);
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(` ${by} `)})`,
    params,
    ...(hints.length > 0 && { hint: hints.join(' AND ') }),
  };
};

/** Filters as a condition on `markets`. Statuses are computed, because a close is no event. */
export const marketCondition = ({ status, category, window }: Filters, nowUs: number): Condition =>
  allOf(
    ...(status ? [{ sql: statusConditions[status], params: { now_us: nowUs } }] : []),
    ...(category ? [{ sql: 'category = {category:String}', params: { category } }] : []),
    ...(window ? [closesIn(window)] : []),
  );

const statusConditions: Readonly<Record<Status, string>> = {
  live: 'close_key > {now_us:Int64}',
  closed: '(close_key <= {now_us:Int64} AND NOT known)',
  finalized: '(close_key <= {now_us:Int64} AND known)',
};

/** On `markets`: it closes in the window. The key has an index but also exists for markets without a known close. */
export const closesIn = ({ fromUs, toUs }: Window): Condition => ({
  sql: '(close_us IS NOT NULL AND close_key >= {from_us:Int64} AND close_key <= {to_us:Int64})',
  params: { from_us: fromUs, to_us: toUs },
});

/** On a table with this column: it belongs to that series or event. Undefined if nothing can match. */
export const belongsTo = (column: 'series' | 'event_ticker', id: string | null | undefined): Condition | undefined => {
  if (!id) return allOf();
  return isValidId(id) ? { sql: `${column} = {${column}:String}`, params: { [column]: id } } : undefined;
};

/** The status of a group of markets, of which `known_n` have a result or a settlement. Null without markets. */
export const statusOfMany = (
  { markets_n, known_n, close_key }: { markets_n: number; known_n: number; close_key: number },
  nowUs: number,
): Status | null => {
  if (markets_n === 0) return null;
  if (close_key > nowUs) return 'live';
  return known_n === markets_n ? 'finalized' : 'closed';
};

/** Whether a market closes in the window, by first and last close. Undefined if the window lies between. */
export const closesWithin = (
  { oldest_close_us: oldest, newest_close_us: newest }: Closes,
  { fromUs, toUs }: Window,
): boolean | undefined => {
  if (oldest === null || newest === null || newest < fromUs || oldest > toUs) return false;
  return newest <= toUs || oldest >= fromUs ? true : undefined;
};

interface Closes {
  readonly oldest_close_us: number | null;
  readonly newest_close_us: number | null;
}
