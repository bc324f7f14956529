import { randomUUID } from 'node:crypto';
import { asBuffer } from '@almanac/clickhouse';
import { bookMark } from './slab-kind.js';
import type { SlabRow } from './write-slab.js';

/** Separates the rows of an answer to `slabSql`. */
export const newMark = (): string => randomUUID();

const digitZero = 0x30;
const bookByte = bookMark.charCodeAt(0);
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
  return { us, hasBook: bytes[at] === bookByte, text: bytes.subarray(at + 1) };
};

const digitAt = (bytes: Buffer, at: number): number => {
  const digit = (bytes[at] ?? 0) - digitZero;
  return digit >= 0 && digit <= 9 ? digit : -1;
};
