// Conversion of query texts to values. The grammar is pydantic's, which differs from JavaScript's and Python's.

const integer = /^[+-]?\d+(?:_\d+)*(?:\.0+)?$/;
const number = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+)?$/;
const noNumber = /^[+-]?(?:inf|infinity|nan)$/i;

const trueTexts = new Set(['true', '1', 'yes', 'on', 't', 'y']);
const falseTexts = new Set(['false', '0', 'no', 'off', 'f', 'n']);

/** `1.0`, `+5`, ` 5 `, `1_000`, `007`, `-0`. Undefined for other texts. Beyond 2^53 the nearest double. */
export const integerOf = (text: string): number | undefined => {
  const trimmed = text.trim();
  // Adding zero turns -0 into 0.
  return integer.test(trimmed) ? Number(trimmed.replaceAll('_', '')) + 0 : undefined;
};

/** `1e5`, `.5`, `5.`, ` 1.5 `, `+1.5`, NaN and the infinities. Undefined for a text that is no number. */
export const numberOf = (text: string): number | undefined => {
  const trimmed = text.trim();
  if (number.test(trimmed)) return Number(trimmed.replaceAll('_', '')) + 0;
  return noNumber.test(trimmed) ? Number.NaN : undefined;
};

/** In any case, without blanks. Undefined for any other word. */
export const booleanOf = (text: string): boolean | undefined => {
  const word = text.toLowerCase();
  return trueTexts.has(word) ? true : falseTexts.has(word) ? false : undefined;
};

const form = /^(?<year>.{4})(?<first>.)(?<month>.{2})(?<second>.)(?<day>.{2})/su;
const digits = /^\d+$/;

/** Why a text is no calendar date `YYYY-MM-DD`. Undefined if it is one. */
export const dateFault = (text: string): string | undefined => {
  const { year, first, month, second, day } = form.exec(text)?.groups ?? {};
  if (year === undefined || month === undefined || day === undefined) return 'input is too short';
  if (!digits.test(year)) return 'invalid character in year';
  if (first !== '-') return 'invalid date separator, expected `-`';
  if (!digits.test(month)) return 'invalid character in month';
  if (second !== '-') return 'invalid date separator, expected `-`';
  if (!digits.test(day)) return 'invalid character in day';
  if (Number(month) < 1 || Number(month) > 12) return 'month value is outside expected range of 1-12';
  if (Number(day) < 1 || Number(day) > daysIn(Number(year), Number(month)))
    return 'day value is outside expected range';
  if (text.length > 10) return 'unexpected extra characters at the end of the input';
  return Number(year) === 0 ? 'year 0 is out of range' : undefined;
};

const daysIn = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
};
