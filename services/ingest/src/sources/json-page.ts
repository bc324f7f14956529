import type { JsonObject } from './source.js';

/** The lists of the venues' answers. */
export const pageLists: ReadonlySet<unknown> = new Set(['series', 'events', 'markets']);

const isNumber = (key: string): boolean => /^\d+$/.test(key);

/** Under which an answer has one thing, or many by number as a data frame writes them. */
export const isEntityKey = (key: string): boolean => isNumber(key) || ['series', 'event', 'market'].includes(key);

const idKeys = ['ticker', 'event_ticker', 'slug', 'id', 'conditionId'] as const;

/** A thing has an id; what has none may be an answer around things. */
export const hasNoId = (value: object): boolean => idKeys.every((key) => !(key in value));

/** Whether an object is an answer around a list, and not a thing that has a list of others in it. */
export const isPage = (value: JsonObject): boolean =>
  hasNoId(value) &&
  Object.entries(value).some(
    ([key, inner]) =>
      typeof inner === 'object' && inner !== null && (Array.isArray(inner) ? pageLists.has(key) : isNumber(key)),
  );
