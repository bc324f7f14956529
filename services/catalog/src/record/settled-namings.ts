import type { SeriesState } from '@almanac/contracts';
import { LRUCache } from 'lru-cache';
import type { EventNaming } from '../event/event.decider.js';
import type { SeriesNaming } from '../series/series.decider.js';

const eventsMax = 100_000;

/**
 * Remembers namings that can change nothing any more: what is known of a thing is never unknown again, so asking the
 * stream for each market of a series would be in vain. Events are remembered up to a bound, the oldest forgotten first.
 */
export const settledNamings = (series: ReadonlyMap<string, SeriesState>) => {
  const events = new LRUCache<string, true>({ max: eventsMax });
  return {
    has: (subject: string, naming: SeriesNaming | EventNaming): boolean => {
      if (!('id' in naming)) return events.has(keyOf(subject, naming));
      const known = series.get(subject);
      if (known === undefined) return false;
      return (
        (known.category !== null || naming.category === null) &&
        (known.category_label !== null || naming.category_label === null)
      );
    },
    add: (subject: string, naming: SeriesNaming | EventNaming): void => {
      if ('id' in naming) return;
      events.set(keyOf(subject, naming), true);
    },
  };
};

/** A naming that tells more than the one before is another one. */
const keyOf = (subject: string, { series, category }: EventNaming): string =>
  `${subject} ${series === null ? '' : 'series'} ${category === null ? '' : 'category'}`;
