import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DomainError } from '../errors.js';
import { parseJson } from './json.js';

/** The filters of a listing: all of its input except limit and position. */
type ListFilters = Readonly<Record<string, string | number | null | undefined>>;

/** Identifies a listing in its cursors by name and filters. Null and empty values filter nothing. */
export const listingOf = (name: string, filters: ListFilters): string => {
  const activeFilters = Object.entries(filters).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  const sorted = activeFilters.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([name, sorted]))
    .digest('base64url')
    .slice(0, 8);
};

/** Encodes the position of the next page as an opaque token. `decodeCursor` checks it. */
export const encodeCursor = (listing: string, position: unknown): string =>
  Buffer.from(JSON.stringify([listing, position])).toString('base64url');

/**
 * Throws `invalid_cursor` with the value as `input` for a cursor that this listing did not issue. That includes
 * cursors of other filters, which would skip entries. Null and empty mean the first page. A position has one
 * encoding; any other is rejected.
 */
export const decodeCursor = <Position extends z.ZodType>(
  cursor: string | null | undefined,
  { listing, position }: { listing: string; position: Position },
): z.output<Position> | null => {
  if (cursor === null || cursor === undefined || cursor === '') return null;
  const parsedCursor = z
    .tuple([z.literal(listing), z.unknown()])
    .safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  const { data, error: cause } = position.safeParse(parsedCursor.data?.[1]);
  if (cause === undefined && encodeCursor(listing, data) === cursor) return data;
  throw new DomainError('invalid_cursor', 'not a cursor that this listing gave', {
    cause,
    more: { input: cursor },
  });
};
