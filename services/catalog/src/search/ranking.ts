import type { searchHit } from '@almanac/contracts';
import type { z } from 'zod';
import type { EventMatches } from '../event/event-matches.js';
import type { SeriesMatches } from '../tables/series-text.js';
import type { Filters } from '../tables/filters.js';
import type { LazyOrder } from '../tables/lazy-order.js';
import { byPosition, type Position } from '../tables/position.js';
import type { TextQuery } from '../tables/text-query.js';

export type SearchHit = z.output<typeof searchHit>;

/** A match with its rank. `display` is undefined for skipped matches. */
export interface Ranked {
  readonly kind: SearchHit['kind'];
  readonly position: Position;
  readonly score: number;
  readonly display: Omit<SearchHit, 'kind' | 'id' | 'score'> | undefined;
}

export interface QueryMatches {
  readonly series: SeriesMatches;
  /** Undefined if events are not in memory. */
  readonly events: EventMatches | undefined;
}

/** A request to each kind for its first `count` matches. */
export interface SearchRequest {
  readonly filters: Filters;
  readonly textQuery: TextQuery | null;
  /** The series and events in memory that match the text query. Null without one. */
  readonly matches: QueryMatches | null;
  readonly count: number;
}

/** A series comes before its events, an event before its markets. */
const widths: Readonly<Record<Ranked['kind'], number>> = { series: 0, event: 1, market: 2 };

/** Best score first, then latest close (live ones lead), then series before events before markets, then id. */
export const byRank = (a: Ranked, b: Ranked): number =>
  b.score - a.score ||
  b.position.key - a.position.key ||
  widths[a.kind] - widths[b.kind] ||
  byPosition(a.position, b.position);

/** The first `count` that are within, and maybe more. It checks in groups and stops when there are enough. */
export const firstWithin = async <T>(
  ranked: LazyOrder<T>,
  count: number,
  within: (some: readonly T[]) => Promise<ReadonlySet<T>>,
): Promise<T[]> => {
  const found: T[] = [];
  for (let from = 0; ranked.at(from) !== undefined && found.length < count; from += count) {
    const some = Array.from({ length: count }, (_, index) => ranked.at(from + index)).filter(
      (one) => one !== undefined,
    );
    const fitting = await within(some);
    for (const one of some) if (fitting.has(one)) found.push(one);
  }
  return found;
};
