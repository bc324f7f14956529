import type { JsonObject } from './source.js';

/** Keys of the lists in the venues' answers. */
export const pageLists: ReadonlySet<unknown> = new Set(['series', 'events', 'markets']);

const isNumber = (key: string): boolean => /^\d+$/.test(key);

/** Keys under which an answer has a single entity, or numbered ones, as a data frame writes them. */
export const isEntityKey = (key: string): boolean => isNumber(key) || ['series', 'event', 'market'].includes(key);

const idKeys = ['ticker', 'event_ticker', 'slug', 'id', 'conditionId'] as const;

/** An entity has an id. An object without one may be an answer around entities. */
export const hasNoId = (value: object): boolean => idKeys.every((key) => !(key in value));

/** Whether an object is an answer around a list, and not an entity that contains a list. */
export const isPage = (value: JsonObject): boolean =>
  hasNoId(value) &&
  Object.entries(value).some(
    ([key, inner]) =>
      typeof inner === 'object' && inner !== null && (Array.isArray(inner) ? pageLists.has(key) : isNumber(key)),
  );
