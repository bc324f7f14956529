import { earliestUs, latestUs } from '../values/time.js';
import { type TimeForm, unreadCell } from './cells.js';

const zero = 48;
const nine = 57;
const point = 46;
const digitsMax = 15;

const placesOf = { s: 6, ms: 3, us: 0 } as const;

type ReadTime = (text: string, from: number, to: number) => number;

/** Reads times that are written plainly. Null if no time of the form is. */
export const textTimes = ({ unit = 'iso', declared, assume_zone: zone }: TimeForm): ReadTime | null => {
  if (declared || unit === 'ns') return null;
  if (unit === 'iso') return isoReader(zone === 'UTC');
  const places = placesOf[unit];
  return (text, from, to) => numberTime(text, from, to, places);
};

const inYears = (us: number): number => (us >= earliestUs && us <= latestUs ? us : unreadCell);

/** A number with at most `places` decimals. */
const numberTime = (text: string, from: number, to: number, places: number): number => {
  let [value, digits, fraction] = [0, 0, -1];
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code === point && fraction < 0 && digits > 0) fraction = 0;
    else if (code < zero || code > nine) return unreadCell;
    else {
      value = value * 10 + (code - zero);
      digits += 1;
      if (fraction >= 0) fraction += 1;
    }
  }
  const decimals = Math.max(0, fraction);
  if (digits === 0 || digits > digitsMax + 1 || decimals > places) return unreadCell;
  return inYears(value * 10 ** (places - decimals));
};

const dayChars = 10;
/** `2026-08-10T12:00:00` */
const secondChars = 19;
const decimalsMax = 6;

/**
 * `2026-08-10T12:00:00.123456Z`, with up to six decimals, also with a blank, with `+00:00` and, if it is assumed, without a zone. Neighbouring
 * times share their day.
 */
const isoReader = (isAssumed: boolean): ReadTime => {
  let day = '';
  let dayStartUs = NaN;
  const startOf = (text: string, from: number): number => {
    let isSame = day !== '';
    for (let at = 0; isSame && at < dayChars; at += 1) isSame = text.charCodeAt(from + at) === day.charCodeAt(at);
    if (isSame) return dayStartUs;
    day = text.slice(from, from + dayChars);
    const ms = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : NaN;
    // Date.parse reads the 31st of a shorter month as the next month in some forms. Such a day is left to the rules of texts.
    dayStartUs = Number.isFinite(ms) && new Date(ms).toISOString().startsWith(day) ? ms * 1_000 : NaN;
    return dayStartUs;
  };
  return (text, from, to) => {
    const length = to - from;
    const between = text[from + dayChars];
    if (length < secondChars || (between !== 'T' && between !== ' ')) return unreadCell;
    const hour = pairAt(text, from + 11);
    const minute = pairAt(text, from + 14);
    const second = pairAt(text, from + 17);
    if (!(hour < 24 && minute < 60 && second < 60) || text[from + 13] !== ':' || text[from + 16] !== ':')
      return unreadCell;
    const zoneAt = text[to - 1] === 'Z' ? to - 1 : text.slice(to - 6, to) === '+00:00' ? to - 6 : to;
    const micros = zoneAt === to && !isAssumed ? NaN : fractionIn(text, from + secondChars, zoneAt);
    return inYears(startOf(text, from) + (hour * 3_600 + minute * 60 + second) * 1_000_000 + micros);
  };
};

/** Two digits. NaN if they are none. */
const pairAt = (text: string, at: number): number => {
  const [tens, ones] = [text.charCodeAt(at) - zero, text.charCodeAt(at + 1) - zero];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN;
};

/** Nothing, or a point and one to six digits, as microseconds. */
const fractionIn = (text: string, from: number, to: number): number => {
  if (from === to) return 0;
  const digits = to - from - 1;
  if (text.charCodeAt(from) !== point || digits < 1 || digits > decimalsMax) return NaN;
  let value = 0;
  for (let at = from + 1; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code < zero || code > nine) return NaN;
    value = value * 10 + (code - zero);
  }
  return value * 10 ** (decimalsMax - digits);
};
