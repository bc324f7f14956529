import { randomUUID } from 'node:crypto';
import { asBuffer } from '@almanac/clickhouse';
import { coinDigits, priceDigits, type RowValues } from './slab-format.js';
import { bookMark, valuesMark } from './slab-kind.js';
import type { SlabRow } from './write-slab.js';

/** Separates the rows of an answer to `slabSql`. */
export const newMark = (): string => randomUUID();

const digitZero = 0x30;
const bookByte = bookMark.charCodeAt(0);
const valuesByte = valuesMark.charCodeAt(0);
const pointByte = '.'.charCodeAt(0);
const minusByte = '-'.charCodeAt(0);
const commaByte = ','.charCodeAt(0);
const endByte = '.'.charCodeAt(0);

/** The rows of an answer to `slabSql`, in a group for each piece of it. Throws if the answer has no end. */
export async function* rowsOfAnswer(
  source: AsyncIterable<unknown>,
  mark: string,
): AsyncGenerator<readonly SlabRow[], void, void> {
  const separator = Buffer.from(`\n${mark}`);
  let rest: Buffer = Buffer.alloc(0);
  let count = 0;
  for await (const piece of source) {
    rest = rest.length === 0 ? asBuffer(piece) : Buffer.concat([rest, asBuffer(piece)]);
    const rows: SlabRow[] = [];
    let from = 0;
    for (let end = rest.indexOf(separator); end >= 0; end = rest.indexOf(separator, from)) {
      if (end > from) rows.push(rowOfText(rest.subarray(from, end)));
      from = end + separator.length;
      if (rest[from] === endByte) break;
    }
    rest = rest.subarray(from);
    count += rows.length;
    yield rows;
  }
  const figure = /^\.(\d+)\n?$/.exec(rest.toString('latin1'))?.[1];
  if (figure === undefined) throw new Error('the rows of a slab have no end');
  if (Number(figure) !== count) throw new Error(`a slab has ${count} rows in place of ${figure}`);
}

const rowOfText = (bytes: Buffer): SlabRow => {
  let us = 0;
  let at = 0;
  for (let digit = digitAt(bytes, at); digit >= 0; digit = digitAt(bytes, at)) {
    us = us * 10 + digit;
    at += 1;
  }
  if (at === 0) throw new Error('a row of a slab has no time');
  const mark = bytes[at];
  if (mark !== valuesByte) return { us, hasBook: mark === bookByte, text: bytes.subarray(at + 1) };
  const { values, end } = valuesAt(bytes, at + 1);
  return { us, hasBook: false, text: bytes.subarray(end), values };
};

const valuesAt = (bytes: Buffer, from: number): { readonly values: RowValues; readonly end: number } => {
  const bid = decimalAt(bytes, from, priceDigits);
  const ask = decimalAt(bytes, bid.end, priceDigits);
  const coin = decimalAt(bytes, ask.end, coinDigits);
  return { values: { bid: bid.units, ask: ask.units, coin: coin.units }, end: coin.end };
};

/**
 * The decimal before the next comma, in units of its last digit. NaN without one. An integer that a number cannot have
 * exactly is no safe integer.
 */
const decimalAt = (bytes: Buffer, from: number, digits: number): { readonly units: number; readonly end: number } => {
  const isNegative = bytes[from] === minusByte;
  let at = isNegative ? from + 1 : from;
  let units = 0;
  let missing = digits;
  let isFraction = false;
  for (; bytes[at] !== commaByte; at += 1) {
    const digit = digitAt(bytes, at);
    if (bytes[at] === pointByte && !isFraction) isFraction = true;
    else if (digit < 0) throw new Error('a value of a slab is no decimal');
    else {
      units = units * 10 + digit;
      if (isFraction) missing -= 1;
    }
  }
  if (missing < 0) throw new Error('a value of a slab has too many digits');
  const end = at + 1;
  if (at === from) return { units: NaN, end };
  units *= 10 ** missing;
  return { units: isNegative ? -units : units, end };
};

const digitAt = (bytes: Buffer, at: number): number => {
  const digit = (bytes[at] ?? 0) - digitZero;
  return digit >= 0 && digit <= 9 ? digit : -1;
};
