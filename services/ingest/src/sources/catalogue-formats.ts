import type { CatalogueFormat } from './catalogue-format.js';
import { venues } from '../venues/venues.js';
import { isObject, type JsonObject } from './source.js';

const formats: readonly CatalogueFormat[] = Object.values(venues).flatMap((venue) => venue.catalogueFormats);

/** The format of a record of a venue's catalogue, or undefined if no format matches. */
export const catalogueFormatOf = (record: JsonObject): CatalogueFormat | undefined =>
  formats.find((format) => format.is(record));

export const catalogueOrder = ({ entityKind }: CatalogueFormat): number =>
  ['series', 'events', 'markets'].indexOf(entityKind);

/** The entities in a venue's answer such as `{"event": {…}, "markets": […]}`. Any other record is its own entity. */
export const entitiesIn = (record: JsonObject): readonly JsonObject[] => {
  if (catalogueFormatOf(record) !== undefined) return [record];
  const inside = Object.values(record)
    .flat()
    .filter(isObject)
    .filter((entity) => catalogueFormatOf(entity) !== undefined);
  return inside.length > 0 ? inside : [record];
};
