import type { ReplyHead } from '@almanac/contracts';
import type { Request } from 'express';

/** `next_start_ts` is told in `Almanac-Next-Start-Ts`. */
const headerName = (name: string): string =>
  `Almanac-${name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('-')}`;

/** A header's value is latin-1 at best, so other letters, which an id may have, are percent-encoded. */
const headerText = (value: string | number | boolean): string =>
  String(value)
    .toWellFormed()
    .replaceAll(/[^\x20-\x7e]/gu, encodeURIComponent);

/** What stands in the head of the JSON form, as headers of a form that has no head; what is null there is absent. */
export const headHeaders = (head: ReplyHead | undefined): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(head ?? {})) {
    if (value !== null) headers[headerName(name)] = headerText(value);
  }
  return headers;
};

/**
 * The address where the same question goes on. One without bounds gets the end that was answered, which would move with
 * its new start; one with a start alone asks for all that follows, and gets none.
 */
export const nextLink = ({ url }: Pick<Request, 'url'>, head: ReplyHead | undefined): string | undefined => {
  const next = head?.['has_more'] === true ? head['next_start_ts'] : null;
  if (typeof next !== 'number') return undefined;
  // The host only makes the address whole; it is not told.
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const isBare = !searchParams.has('start_ts') && !searchParams.has('end_ts');
  searchParams.set('start_ts', String(next));
  if (isBare) searchParams.set('end_ts', String(head?.['end_ts']));
  return `<${pathname}?${searchParams.toString()}>; rel="next"`;
};
