import type { Notice } from '@almanac/contracts';

/** The start of a JSON object that has these notices as its first field. */
const openingOf = (notices: readonly Notice[]): string =>
  notices.length === 0 ? '{' : `{"notices":${JSON.stringify(notices)},`;

interface Change {
  readonly from: readonly Notice[];
  readonly to: readonly Notice[];
}

/**
 * Puts notices at the start of a JSON object, instead of those that are there. The object itself is not parsed, so an
 * answer of any length needs only its first bytes. It has at least one field of its own.
 */
export function replaceNotices(body: string, change: Change): string;
export function replaceNotices(body: Uint8Array, change: Change): Uint8Array;
export function replaceNotices(body: string | Uint8Array, change: Change): string | Uint8Array;
export function replaceNotices(body: string | Uint8Array, { from, to }: Change): string | Uint8Array {
  if (from === to || (from.length === 0 && to.length === 0)) return body;
  const [old, fresh] = [openingOf(from), openingOf(to)];
  if (typeof body === 'string') return `${fresh}${body.slice(old.length)}`;
  return Buffer.concat([Buffer.from(fresh), body.subarray(Buffer.byteLength(old))]);
}
