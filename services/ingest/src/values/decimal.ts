const form = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?$/;

export interface DecimalOptions {
  /** Moves the point to the left: 2 turns cents into dollars. */
  readonly pointLeft?: number;
  /** Rounds half away from zero to this many decimals. */
  readonly decimals?: number;
}

/**
 * The exact decimal of a text such as `65573.369999`, `86` or `1e-3`, in its shortest form (`0.5`, never `0.50` or
 * `.5`). Null if the text is not a decimal. It works on digits only, so no binary float is involved.
 */
export const readDecimal = (text: string, { pointLeft = 0, decimals }: DecimalOptions = {}): string | null => {
  const match = form.exec(text);
  if (!match) return null;
  const [, sign = '', integerDigits = '', fraction = '', exponent = '0'] = match;
  if (integerDigits === '' && fraction === '') return null;
  const scale = fraction.length - Number(exponent) + pointLeft;
  const digits = integerDigits + fraction;
  const excess = decimals === undefined ? 0 : scale - decimals;
  if (excess <= 0) return written(sign, digits, scale);
  return written(sign, roundedAt(digits, digits.length - excess), decimals ?? 0);
};

const floatNoise = /^-?\d{4,}\.(\d{0,3}[0-8])9{4,}$/;
const noisyDecimals = 6;

/**
 * Removes the noise of a binary float whose digits were cut: 65573.369999 is 65573.37. Noise needs at least four digits
 * before the point, at least six decimals, and four or more nines after one to four other decimals. A whole number has
 * none, because it is exact in binary. All else stays: 1.3691, 3.125, and also 1.369999 and 65499.9999, which may be
 * meant (a venue writes "65,500 or above" as 65499.99). A lost digit is worse than some noise.
 */
export const withoutFloatNoise = (decimal: string): string => {
  const exactDigits = floatNoise.exec(decimal)?.[1];
  if (exactDigits === undefined || decimalsOf(decimal) < noisyDecimals) return decimal;
  return readDecimal(decimal, { decimals: exactDigits.length }) ?? decimal;
};

/** The digits before `cut`, rounded up if the rest is a half or more. */
const roundedAt = (digits: string, cut: number): string => {
  if (cut < 0) return '0';
  const remainingDigits = digits.slice(0, cut) || '0';
  return digits.charCodeAt(cut) >= 53 /* 5 */ ? String(BigInt(remainingDigits) + 1n) : remainingDigits;
};

const written = (sign: string, digits: string, scale: number): string => {
  const point = scale > 0 ? scale : 0;
  const padded = (scale < 0 ? digits + '0'.repeat(-scale) : digits).padStart(point + 1, '0');
  const integerDigits = withoutLeadingZeros(padded.slice(0, padded.length - point));
  const fraction = withoutTrailingZeros(padded.slice(padded.length - point));
  const text = fraction === '' ? integerDigits : `${integerDigits}.${fraction}`;
  return sign === '-' && text !== '0' ? `-${text}` : text;
};

const withoutLeadingZeros = (digits: string): string => {
  let from = 0;
  while (from < digits.length - 1 && digits.charCodeAt(from) === 48) from += 1;
  return from === 0 ? digits : digits.slice(from);
};

const withoutTrailingZeros = (digits: string): string => {
  let to = digits.length;
  while (to > 0 && digits.charCodeAt(to - 1) === 48) to -= 1;
  return to === digits.length ? digits : digits.slice(0, to);
};

/** Whether a decimal from `readDecimal` is from 0 to 1, as a YES price must be. */
export const isProbability = (decimal: string): boolean =>
  decimal === '0' || decimal === '1' || decimal.startsWith('0.');

/** Digits after the point of a decimal from `readDecimal`. */
export const decimalsOf = (decimal: string): number => {
  const point = decimal.indexOf('.');
  return point < 0 ? 0 : decimal.length - point - 1;
};

/** Digits before the point of a decimal from `readDecimal`. */
export const integerDigitCount = (decimal: string): number => {
  const point = decimal.indexOf('.');
  return (point < 0 ? decimal.length : point) - (decimal.startsWith('-') ? 1 : 0);
};
