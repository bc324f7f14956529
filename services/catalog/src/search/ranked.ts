import type { searchHit } from '@almanac/contracts';
import type { z } from 'zod';
import type { Filters } from '../tables/filters.js';
import { byPosition, type Position } from '../tables/position.js';
import type { Question } from '../tables/question.js';

export type SearchHit = z.output<typeof searchHit>;

/** A thing that was found, as it stands among all; `shown` is what of it is not read for things that are passed over. */
export interface Ranked {
  readonly kind: SearchHit['kind'];
  readonly position: Position;
  readonly score: number;
  readonly shown: Omit<SearchHit, 'kind' | 'id' | 'score'> | undefined;
}

/** What each kind is asked for: its first `count` in the order of hits. */
export interface Sought {
  readonly filters: Filters;
  readonly question: Question | null;
  readonly count: number;
}

/** Wider things stand before those that they contain. */
const widths: Readonly<Record<Ranked['kind'], number>> = { series: 0, event: 1, market: 2 };

/**
 * Best score first; among equals live ones, whose close is later than any that is past, then later closes, then the
 * wider kind, then the id.
 */
export const byRank = (a: Ranked, b: Ranked): number =>
  b.score - a.score ||
  b.position.key - a.position.key ||
  widths[a.kind] - widths[b.kind] ||
  byPosition(a.position, b.position);
