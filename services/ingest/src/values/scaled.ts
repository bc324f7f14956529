const zero = 48;
const point = 46;
const billion = 1_000_000_000;
const nineDigits = 9;

/** Writes digits of an integer from 0 to 2^53, filled up with zeros to at least `width`. Returns where they end. */
const writeDigits = (bytes: Uint8Array, at: number, value: number, width: number): number => {
  if (value >= billion) {
    const high = Math.floor(value / billion);
    return writeDigits(bytes, writeDigits(bytes, at, high, width - nineDigits), value - high * billion, nineDigits);
  }
  let digits = 1;
  for (let limit = 10; limit <= value; limit *= 10) digits += 1;
  const end = at + Math.max(digits, width);
  let rest = value | 0;
  for (let place = end - 1; place >= at; place -= 1) {
    const next = (rest / 10) | 0;
    bytes[place] = zero + (rest - next * 10);
    rest = next;
  }
  return end;
};

export const writeInteger = (bytes: Uint8Array, at: number, value: number): number => writeDigits(bytes, at, value, 1);

/** Writes a time as `secondsText` does. */
export const writeSeconds = (bytes: Uint8Array, at: number, us: number): number => {
  const seconds = Math.floor(us / 1e6);
  const end = writeDigits(bytes, at, seconds, 10);
  bytes[end] = point;
  return writeDigits(bytes, end + 1, us - seconds * 1e6, 6);
};

/** Writes the shortest decimal of an integer of the power of ten `-places`. */
export const writeScaled = (bytes: Uint8Array, at: number, scaled: number, places: number): number => {
  const one = 10 ** places;
  const whole = Math.floor(scaled / one);
  const fraction = scaled - whole * one;
  let end = writeDigits(bytes, at, whole, 1);
  if (fraction === 0) return end;
  bytes[end] = point;
  end = writeDigits(bytes, end + 1, fraction, places);
  while (bytes[end - 1] === zero) end -= 1;
  return end;
};

const scratch = Buffer.alloc(32);

export const scaledText = (scaled: number, places: number): string =>
  scratch.toString('latin1', 0, writeScaled(scratch, 0, scaled, places));

/** The integer of a decimal text with at most `places` decimals. */
export const scaledOf = (decimal: string, places: number): bigint => {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
};
