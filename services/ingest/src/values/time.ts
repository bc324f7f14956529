import { localToUtcMs } from './zone.js';

export const timeUnits = ['s', 'ms', 'us', 'ns', 'iso'] as const;
export type TimeUnit = (typeof timeUnits)[number];

/**
 * 1980-01-01 and 2100-01-01. A time in the wrong unit is outside: seconds read as milliseconds are in January 1970, and
 * milliseconds read as seconds in the year 58000.
 */
export const earliestUs = 315_532_800_000_000;
export const latestUs = 4_102_444_800_000_000;

/** Decimal places between the unit and a microsecond. */
const placesOf = { s: 6, ms: 3, us: 0, ns: -3 } as const;

/**
 * A time as integer microseconds since the epoch. Null if the text is not a time of that unit between 1980 and 2100.
 * Digits below a microsecond are cut off. An ISO time without a zone needs `assumeZone`.
 */
export const readTime = (text: string, unit: TimeUnit, assumeZone?: string): number | null => {
  const us = unit === 'iso' ? isoMicros(text, assumeZone) : plainMicros(text, placesOf[unit]);
  return us !== null && us >= earliestUs && us <= latestUs ? us : null;
};

/** The unit of a time. The years leave one unit for each number. Null if the text is not a time. */
export const timeUnitOf = (text: string, assumeZone?: string): TimeUnit | null =>
  timeUnits.find((unit) => readTime(text, unit, assumeZone) !== null) ?? null;

/** Zeros stand for a time that is not set. */
const number = /^(?!0*(?:\.0*)?$)\d+(?:\.\d*)?$/;

/**
 * Whether a text that `readTime` refuses is a time of another unit: a number outside the years, or a number where an
 * ISO time is expected, or the other way round.
 */
export const isOfOtherUnit = (text: string, unit: TimeUnit): boolean =>
  number.test(text) || (unit !== 'iso' && iso.test(text));

/** By unit: a digit below the microsecond that is not 0. */
const finer: Readonly<Record<TimeUnit, RegExp>> = {
  iso: /[.,]\d{6}\d*[1-9]/,
  s: /\.\d{6}\d*[1-9]/,
  ms: /\.\d{3}\d*[1-9]/,
  us: /\.\d*[1-9]/,
  ns: /(?!000)\d{3}(?:\.\d*)?$|\.\d*[1-9]/,
};

/** Whether `readTime` cuts off a digit of this time that is not 0. */
export const isFinerThanMicros = (text: string, unit: TimeUnit): boolean => finer[unit].test(text);

/**
 * Seconds with six decimals, which DateTime64(6) reads without loss. Always ten digits before the point, because
 * ClickHouse reads fewer as a day or a year (tried: `5.000000` fails the batch).
 */
export const secondsText = (us: number): string => {
  const digits = String(us).padStart(16, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
};

/** A duration, such as a time to expiry of `435.081651` seconds, as integer microseconds. */
export const readSpan = (text: string, unit: Exclude<TimeUnit, 'iso'>): number | null =>
  plainMicros(text, placesOf[unit]);

const plain = /^(\d+)(?:\.(\d*))?$/;

/** Works on digits: in binary floats, `1771993365.058297` times a million is sometimes off by a microsecond. */
const plainMicros = (text: string, places: number): number | null => {
  const match = plain.exec(text);
  if (!match) return null;
  const [, integerPart = '', fraction = ''] = match;
  const digits =
    places >= 0 ? integerPart + fraction.slice(0, places).padEnd(places, '0') : integerPart.slice(0, places) || '0';
  const us = Number(digits);
  return Number.isSafeInteger(us) ? us : null;
};

const iso =
  /^(\d{4})-(\d\d)-(\d\d)([T ])(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/;

const isoMicros = (text: string, assumeZone: string | undefined): number | null => {
  const match = iso.exec(text);
  if (!match) return null;
  const [, year, month, day, between, hour, minute, second = '0', fraction = '', zone] = match;
  // A zone of two digits is complete after a blank, as Postgres writes it. After a `T` it is a truncated `+00:00`.
  if (between === 'T' && zone?.length === 3) return null;
  const clock = [year, month, day, hour, minute, second].map(Number);
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = clock;
  if (mo < 1 || mo > 12 || h > 23 || mi > 59 || s > 59 || d < 1 || d > daysIn(y, mo)) return null;
  const localMs = Date.UTC(y, mo - 1, d, h, mi, s);
  const utcMs = zone === undefined ? assumed(localMs, assumeZone) : localMs - offsetMs(zone);
  return utcMs === null ? null : utcMs * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
};

const assumed = (localMs: number, zone: string | undefined): number | null => {
  if (zone === undefined) return null;
  return zone === 'UTC' ? localMs : localToUtcMs(localMs, zone);
};

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

const offsetMs = (zone: string): number => {
  if (zone === 'Z' || zone === 'z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || '0');
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
};

const spanForm = /^(\d+)(s|m|h|d)$/;
const spanUs = { s: 1_000_000, m: 60_000_000, h: 3_600_000_000, d: 86_400_000_000 } as const;

/** A duration from a mapping, `15m` or `1h`, in microseconds. Null if it is not one. */
export const readDuration = (text: string): number | null => {
  const match = spanForm.exec(text);
  const [, count, unit] = match ?? [];
  if (count === undefined || (unit !== 's' && unit !== 'm' && unit !== 'h' && unit !== 'd')) return null;
  return Number(count) * spanUs[unit];
};
