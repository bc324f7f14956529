import type { SeriesState } from '@almanac/contracts';
import { LRUCache } from 'lru-cache';
import type { EventReference } from '../event/event.decider.js';
import type { SeriesReference } from '../series/series.decider.js';

const eventsMax = 100_000;

/**
 * Remembers namings that can change nothing any more: what is known of a thing is never unknown again, so asking the
 * stream for each market of a series would be in vain. Events are remembered up to a bound, the oldest forgotten first.
 */
export const referenceCache = (series: ReadonlyMap<string, SeriesState>) => {
  const events = new LRUCache<string, true>({ max: eventsMax });
  return {
    has: (subject: string, reference: SeriesReference | EventReference): boolean => {
      if (!('id' in reference)) return events.has(keyOf(subject, reference));
      const known = series.get(subject);
      if (known === undefined) return false;
      return (
        (known.category !== null || reference.category === null) &&
        (known.category_label !== null || reference.category_label === null)
      );
    },
    add: (subject: string, reference: SeriesReference | EventReference): void => {
      if ('id' in reference) return;
      events.set(keyOf(subject, reference), true);
    },
  };
};

/** A naming that tells more than the one before is another one. */
const keyOf = (subject: string, { series, category }: EventReference): string =>
  `${subject} ${series === null ? '' : 'series'} ${category === null ? '' : 'category'}`;
