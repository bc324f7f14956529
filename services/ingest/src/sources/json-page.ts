import { readTime } from '../values/time.js';
import { isObject, type JsonObject, type JsonRecord } from './source.js';

/** The key in the venue's API. A dump of the Python client's objects writes `_ticker` for `ticker`. */
export const plainKey = (key: string): string => (key.startsWith('_') ? key.slice(1) : key);

const lists: ReadonlySet<unknown> = new Set([
  'series',
  'series_fee_change_arr',
  'events',
  'event',
  'markets',
  'market',
  'trades',
]);

/** Whether a key names the list of entities in an answer. A dump of 2024 has `{"event": […]}`. */
export const isListKey = (key: unknown): boolean => typeof key === 'string' && lists.has(plainKey(key));

const isNumber = (key: string): boolean => /^\d+$/.test(key);

/** Keys under which an answer has a single entity, or numbered ones, as a data frame writes them. */
export const isEntityKey = (key: string): boolean =>
  isNumber(key) || ['series', 'event', 'market', 'trade'].includes(plainKey(key));

const idKeys = ['ticker', 'event_ticker', 'slug', 'id', 'conditionId'] as const;

/** An entity has an id. An object without one may be an answer around entities. */
export const hasNoId = (value: object): boolean => idKeys.every((key) => !(key in value || `_${key}` in value));

/** A recorder of answers writes each under this key, next to when and what it requested. */
export const wrapperKey = 'response';
export const metadataKey = '_metadata';

/** When a recorder received the answer next to this value. Undefined for any other value. */
export const receiptOf = (key: string, value: unknown): number | undefined => {
  const at = key === metadataKey && isObject(value) ? value['recorded_at'] : undefined;
  return typeof at === 'string' ? (readTime(at, 'iso') ?? undefined) : undefined;
};

export type RecordedAround = Pick<JsonRecord, 'receivedUs' | 'request'>;

/** What a recorder of answers states about the answer next to this value. Empty for any other value. */
export const recordedAround = (key: string, value: unknown): RecordedAround => {
  if (key !== metadataKey || !isObject(value)) return {};
  const receivedUs = receiptOf(key, value);
  return { request: value, ...(receivedUs !== undefined && { receivedUs }) };
};

/** Whether an object is an answer around a list, and not an entity that contains a list. */
export const isPage = (value: JsonObject): boolean =>
  hasNoId(value) &&
  Object.entries(value).some(([key, inner]) => {
    if (Array.isArray(inner)) return isListKey(key);
    return isObject(inner) && (isNumber(key) || (key === wrapperKey && isPage(inner)));
  });
