import { isValidId } from '@almanac/bus';
import { microsOf } from '@almanac/contracts';

/** As every listing takes them; an empty text filters nothing. */
export interface GivenFilters {
  readonly status?: string | null | undefined;
  readonly category?: string | null | undefined;
  readonly q?: string | null | undefined;
  readonly from_ts?: number | null | undefined;
  readonly to_ts?: number | null | undefined;
}

export const statuses = ['live', 'closed', 'finalized'] as const;
export type Status = (typeof statuses)[number];

/** Close times asked for, both ends included; the bounds are finite. */
export interface Window {
  readonly fromUs: number;
  readonly toUs: number;
}

/** What is asked of a thing beside its words; undefined: anything. */
export interface Filters {
  readonly status?: Status | undefined;
  readonly category?: string | undefined;
  readonly window?: Window | undefined;
}

const usMax = 9_000_000_000_000_000;

/** Undefined where nothing can fit: no thing has another status, or a category that cannot be a name. */
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

/** Any number is a bound: one beyond all times is as good as the last of them. */
const boundOf = (ts: number | null | undefined, otherwise: number): number =>
  isGiven(ts) ? Math.max(-usMax, Math.min(usMax, microsOf(ts))) : otherwise;

/** A condition in SQL with the values that it binds. */
export interface Condition {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** All of them; of no conditions, anything. */
export const allOf = (...conditions: readonly Condition[]): Condition => joined(conditions, 'AND', '1');

/** One of them; of no conditions, nothing. */
export const anyOf = (...conditions: readonly Condition[]): Condition => joined(conditions, 'OR', '0');

const joined = (conditions: readonly Condition[], by: 'AND' | 'OR', none: string): Condition => {
  const [first, ...others] = conditions;
  if (first === undefined) return { sql: none, params: {} };
  if (others.length === 0) return first;
  const params: Record<string, unknown> = {};
  for (const condition of conditions) Object.assign(params, condition.params);
  return { sql: `(${conditions.map(({ sql }) => sql).join(` ${by} `)})`, params };
};

/** Filters as a condition on `markets`, where statuses are computed: a close that passes is no event. */
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

/** On `markets`: it closes then. The key has an index, and stands for more than known closes. */
export const closesIn = ({ fromUs, toUs }: Window): Condition => ({
  sql: '(close_us IS NOT NULL AND close_key >= {from_us:Int64} AND close_key <= {to_us:Int64})',
  params: { from_us: fromUs, to_us: toUs },
});

/** On the table that has the column: it is of that series, of that event; undefined where nothing can be. */
export const belongsTo = (column: 'series' | 'event_ticker', id: string | null | undefined): Condition | undefined => {
  if (!id) return allOf();
  return isValidId(id) ? { sql: `${column} = {${column}:String}`, params: { [column]: id } } : undefined;
};

/** What a thing of markets is, of which `known_n` have a result or were settled; null without any. */
export const statusOfMany = (
  { markets_n, known_n, close_key }: { markets_n: number; known_n: number; close_key: number },
  nowUs: number,
): Status | null => {
  if (markets_n === 0) return null;
  if (close_key > nowUs) return 'live';
  return known_n === markets_n ? 'finalized' : 'closed';
};
