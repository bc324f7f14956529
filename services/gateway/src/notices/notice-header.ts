import type { Notice } from '@almanac/contracts';

/** More notices of one request are counted in a last one, so that no head is too long for a client. */
const noticesMax = 10;

/** At most ten notices. A last one says how many were left out. */
export const limited = (notices: readonly Notice[]): readonly Notice[] => {
  if (notices.length <= noticesMax) return notices;
  const detail = `${notices.length - noticesMax} more notices are not shown.`;
  return [...notices.slice(0, noticesMax), { code: 'notices_left_out', detail, loc: null, nearest: null }];
};

/**
 * The value of `Almanac-Notice`: a list of structured fields (RFC 9651). Each item is the code as a token, with `loc`
 * (joined with dots), `nearest` and `detail` as string parameters.
 */
export const noticeHeader = (notices: readonly Notice[]): string => notices.map(itemOf).join(', ');

const itemOf = ({ code, loc, nearest, detail }: Notice): string => {
  const parameters = { loc: loc?.join('.') ?? null, nearest, detail };
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === null ? [] : [`;${name}="${ascii(value)}"`],
  );
  return `${code}${given.join('')}`;
};

/** A structured string is printable ASCII. Other characters are percent-encoded, and so is the percent sign. */
const ascii = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\x20-\x24\x26-\x7e]/gu, encodeURIComponent)
    .replaceAll(/["\\]/g, String.raw`\$&`);
