import { currency } from '@almanac/contracts';

/** Integer microseconds as `2026-11-20 14:03:11 UTC`. */
export const moment = (us: number): string =>
  `${new Date(us / 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Minor units as `5.00 USD`. */
export const price = (amount: number): string => `${(amount / 100).toFixed(2)} ${currency}`;

/** Pads each column to its widest cell. The first row is the heading. */
export const table = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
};

const shownMax = 5;

/** The first names, and how many more there are. */
export const listed = (names: readonly string[]): string => {
  const shown = names.slice(0, shownMax).map(clean).join(', ');
  return names.length > shownMax ? `${shown} and ${names.length - shownMax} more` : shown;
};

/** A user's text without characters that move the cursor, or hide or reorder letters. */
export const clean = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\u{FFFD}');
