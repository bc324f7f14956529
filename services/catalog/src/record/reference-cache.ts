import type { SeriesState } from '@almanac/contracts';
import { entryCache } from '@almanac/runtime';
import type { EventReference } from '../event/event.decider.js';
import type { SeriesReference } from '../series/series.decider.js';

const eventsMax = 100_000;

/**
 * Caches references that cannot change anything. Known values never become unknown, so reading the stream for each
 * market of a series would be useless. The number of cached events is limited; the oldest is dropped first.
 */
export const referenceCache = (series: ReadonlyMap<string, SeriesState>) => {
  const events = entryCache<string, true>(eventsMax);
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

/** A reference with more fields has another key. */
const keyOf = (subject: string, { series, category }: EventReference): string =>
  `${subject} ${series === null ? '' : 'series'} ${category === null ? '' : 'category'}`;
