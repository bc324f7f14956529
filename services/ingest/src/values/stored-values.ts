import type { OnAltered } from './altered.js';
import { decimalsOf, integerDigitCount, readDecimal, withoutFloatNoise } from './decimal.js';
import { isFinerThanMicros, readTime, secondsText, type TimeUnit } from './time.js';

/** Limits of the archive's columns. One more digit before the point would fail the entire batch. */
const integerDigitsMax = 10;
export const decimalsMax = { price: 6, value: 8 } as const;

export interface StoredOptions {
  readonly pointLeft?: number;
  readonly decimals?: number;
  /** Whether `withoutFloatNoise` applies. */
  readonly floatNoise?: boolean;
  readonly onAltered?: OnAltered;
}

/** A decimal that the archive can store. Null if the text is not a decimal or has too many digits before the point. */
export const storedDecimal = (
  text: string,
  { pointLeft = 0, decimals = decimalsMax.value, floatNoise = false, onAltered }: StoredOptions = {},
): string | null => {
  const exact = readDecimal(text, { pointLeft });
  if (exact === null) return null;
  const clean = floatNoise ? withoutFloatNoise(exact) : exact;
  const rounded = decimalsOf(clean) > decimals ? readDecimal(clean, { decimals }) : clean;
  if (rounded === null || integerDigitCount(rounded) > integerDigitsMax) return null;
  if (clean !== exact)
    onAltered?.({ how: 'float noise removed, as in 65573.369999 for 65573.37', from: exact, to: clean });
  if (rounded !== clean) onAltered?.({ how: `rounded to ${decimals} decimals`, from: clean, to: rounded });
  return rounded;
};

/** The time of a text, null if it is none. Digits below a microsecond are cut off and reported. */
export const readStoredTime = (
  text: string,
  {
    unit = 'iso',
    assume_zone: zone,
  }: { readonly unit?: TimeUnit | undefined; readonly assume_zone?: string | undefined },
  onAltered: OnAltered,
): number | null => cutToMicros(readTime(text, unit, zone), { text, unit }, onAltered);

/** Reports the digits of the text that a time does not have. */
export const cutToMicros = (
  us: number | null,
  { text, unit }: { readonly text: string; readonly unit: TimeUnit },
  onAltered: OnAltered,
): number | null => {
  if (us !== null && isFinerThanMicros(text, unit))
    onAltered({ how: 'cut to microseconds', from: text, to: secondsText(us) });
  return us;
};
