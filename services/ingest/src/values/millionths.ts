/** The integer for 1. Prices and sizes of books are integers in millionths, as exact as their columns. */
export const one = 1_000_000;

const decimals = 6;
const zero = 48;
const nine = 57;
const point = 46;
const minus = 45;

/**
 * The integer in millionths of a decimal text such as `0.0090`, `-300.00` or `66031.01`. Null if it is not a decimal,
 * has a digit after the sixth decimal, or is too large for an exact number (9 thousand million). It goes digit by
 * digit, without a float, because each change of a book needs it twice.
 */
export const readMillionths = (text: string): number | null => {
  const negative = text.charCodeAt(0) === minus;
  let value = 0;
  let digits = 0;
  let fraction = -1;
  for (let at = negative ? 1 : 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === point && fraction < 0) fraction = 0;
    else if (code < zero || code > nine) return null;
    else if (fraction === decimals) {
      if (code !== zero) return null;
    } else {
      value = value * 10 + (code - zero);
      digits += 1;
      if (fraction >= 0) fraction += 1;
    }
  }
  if (digits === 0) return null;
  value *= 10 ** (decimals - Math.max(0, fraction));
  if (!Number.isSafeInteger(value)) return null;
  return negative && value !== 0 ? -value : value;
};

/** The shortest decimal of an integer in millionths: `0.009`, `-300`, `66031.01`. */
export const millionthsText = (value: number): string => {
  if (value < 0) return `-${millionthsText(-value)}`;
  const fraction = value % one;
  const integerPart = (value - fraction) / one;
  if (fraction === 0) return String(integerPart);
  let digits = String(fraction).padStart(decimals, '0');
  while (digits.endsWith('0')) digits = digits.slice(0, -1);
  return `${integerPart}.${digits}`;
};
