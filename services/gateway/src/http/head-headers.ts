import type { ReplyHead } from '@almanac/contracts';
import type { ReceivedRequest } from './exchange.js';

/** `next_start_ts` becomes `Almanac-Next-Start-Ts`. */
const headerName = (name: string): string =>
  `Almanac-${name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('-')}`;

/** Header values are at most latin-1, so other characters, which an id may have, are percent-encoded. */
const headerText = (value: string | number | boolean): string =>
  String(value)
    .toWellFormed()
    .replaceAll(/[^\x20-\x7e]/gu, encodeURIComponent);

/** Fields after the rows of a bulk answer. A short answer has them in its headers. */
export const trailerNames = ['Almanac-Complete', 'Almanac-Count', 'Almanac-Sha256'] as const;

/** The head of the JSON form as headers, for forms without a head. Null values are omitted. */
export const headHeaders = (head: ReplyHead | undefined): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(head ?? {})) {
    if (value !== null) headers[headerName(name)] = headerText(value);
  }
  return headers;
};

/**
 * The URL of the next page. A request without bounds also gets the answered window, which would otherwise move with the new
 * start or the time. A request with only a start covers everything after it and gets no end, and neither does a window that
 * was cut, whose end is the new start. A page that goes on in both ways has all markets of its window before later times.
 * What a POST asks for is in its body, so it has no such URL.
 */
export const nextLink = (
  { url, method }: Pick<ReceivedRequest, 'url' | 'method'>,
  head: ReplyHead | undefined,
): string | undefined => {
  if (head?.['has_more'] !== true || method === 'POST') return undefined;
  const { next_start_ts: next, next_cursor: cursor, start_ts: startTs, end_ts: endTs } = head;
  // The host only makes the URL parseable; it is not part of the link.
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const isBare = !searchParams.has('start_ts') && !searchParams.has('end_ts');
  if (typeof cursor === 'string') {
    searchParams.set('cursor', cursor);
    if (isBare && typeof startTs === 'number') searchParams.set('start_ts', String(startTs));
  } else {
    if (typeof next !== 'number') return undefined;
    searchParams.delete('cursor');
    searchParams.set('start_ts', String(next));
  }
  const isCut = typeof cursor !== 'string' && next === endTs;
  if (isBare && typeof endTs === 'number' && !isCut) searchParams.set('end_ts', String(endTs));
  return `<${pathname}?${searchParams.toString()}>; rel="next"`;
};
