import type { CatalogueFormat } from './catalogue-format.js';
import { venues } from './venues.js';
import { plainKey } from '../sources/json-page.js';
import { isObject, type JsonObject } from '../sources/source.js';

const formats: readonly CatalogueFormat[] = Object.values(venues).flatMap((venue) => venue.catalogueFormats);

/** The format of a record of a venue's catalogue, or undefined if no format matches. */
export const catalogueFormatOf = (record: JsonObject): CatalogueFormat | undefined =>
  formats.find((format) => format.is(record));

/** The format of an answer whose list has this key. */
export const catalogueFormatOfList = (key: string): CatalogueFormat | undefined =>
  formats.find(({ listKey }) => listKey === key);

export const catalogueOrder = ({ entityKind }: CatalogueFormat): number =>
  ['series', 'events', 'markets'].indexOf(entityKind);

/** The entities in a venue's answer such as `{"event": {…}, "markets": […]}`. Any other record is its own entity. */
export const entitiesIn = (given: JsonObject): readonly JsonObject[] => {
  const record = withPlainKeys(given);
  if (catalogueFormatOf(record) !== undefined) return [record];
  const inside = Object.values(record)
    .flat()
    .filter(isObject)
    .map(withPlainKeys)
    .filter((entity) => catalogueFormatOf(entity) !== undefined);
  return inside.length > 0 ? inside : [record];
};

/** A record of a dump of the Python client's objects, with the keys of the venue's API. */
const withPlainKeys = (record: JsonObject): JsonObject =>
  '_ticker' in record || '_event_ticker' in record
    ? Object.fromEntries(Object.entries(record).map(([key, value]) => [plainKey(key), plainValue(value)]))
    : record;

/** An event contains its markets. */
const plainValue = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((item: unknown) => (isObject(item) ? withPlainKeys(item) : item)) : value;
