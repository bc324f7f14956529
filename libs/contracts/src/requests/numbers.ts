import { z } from 'zod';

/** Integer microseconds since the epoch: how every time is stored. */
export const micros = z.int();

/** An exact decimal as text, such as `65573.37`: how every price, strike and size is stored. */
export const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);

/** How files and tables have prices and sizes: as exact decimals, or as 64-bit floating-point numbers. */
const numberTypes = ['decimal', 'float'] as const;
export const numberType = z.enum(numberTypes).default('decimal');
export type NumberType = z.output<typeof numberType>;

/**
 * Unix seconds with a fraction, the API's time format. The division is correctly rounded, and current times have 16
 * significant digits, so the printed number equals the stored one to the microsecond.
 */
export const secondsOf = (us: number | null): number | null => (us === null ? null : us / 1e6);

/** Converts API seconds to the nearest microsecond. */
export const microsOf = (seconds: number): number => Math.round(seconds * 1e6);

/** ISO 8601 in UTC, with the digits that the time has: `2026-11-23T10:00:00.25Z`. */
export const isoOf = (us: number): string => {
  const whole = Math.floor(us / 1e6);
  const fraction = (us - whole * 1e6).toString().padStart(6, '0').replace(/0+$/, '');
  return `${new Date(whole * 1_000).toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`;
};

/** `1 row`, `3 rows`. */
export const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** The UTC day of a time, as `2026-11-23`. */
export const utcDayOf = (us: number): string => new Date(us / 1_000).toISOString().slice(0, 10);

/** A UTC day in microseconds. */
export const dayUs = 86_400_000_000;

/** Start of the next UTC day in integer microseconds, when daily counts start at 0 again. */
export const nextUtcDayUs = (us: number): number => (Math.floor(us / dayUs) + 1) * dayUs;

/** The JSON number of an exact decimal: JavaScript prints the shortest digits, so `0.51` stays `0.51`. */
export const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));
