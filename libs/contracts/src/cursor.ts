import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DomainError } from './errors.js';
import { parseJson } from './json.js';

/** What a listing lists: all that was asked of it but how many and from where. */
type ListFilters = Readonly<Record<string, string | number | null | undefined>>;

/** A listing as its cursors name it: by its name and filters, where null and empty filter nothing. */
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

/** Where a listing goes on, as one opaque token; its parts are checked when it comes back. */
export const encodeCursor = (listing: string, position: unknown): string =>
  Buffer.from(JSON.stringify([listing, position])).toString('base64url');

/**
 * Throws `invalid_cursor`, with what was sent as `input`, for what this listing did not hand out, so for a cursor of
 * other filters too: it would skip what it did not list. Null and empty mean the beginning. There is one way to write
 * a position, and any other is not ours.
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
