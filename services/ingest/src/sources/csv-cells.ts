import {
  type Cells,
  type DecimalForm,
  type Dictionary,
  emptyCell,
  scaledMax,
  type TimeForm,
  unreadCell,
} from './cells.js';
import { headerAgain, type HeaderLine, type HeaderLines } from './csv-header.js';
import type { BrokenRow, RowBlock } from './source.js';
import { textTimes } from './text-times.js';

interface PlainLines {
  /** Complete lines. */
  readonly text: string;
  readonly end: number;
  readonly delimiter: string;
  readonly columnCount: number;
  readonly line: number;
  readonly headers: HeaderLines;
}

/** A block, and the line where a header with other columns begins. */
interface PlainBlock extends RowBlock {
  readonly nextLine: number;
  readonly fault?: { readonly is: 'otherHeader'; readonly line: number };
}

const lineFeed = 10;
const carriageReturn = 13;
const zero = 48;
const nine = 57;
const point = 46;
const quote = 34;

/** The lines of a CSV text as cells: positions in the text. Null if a cell is not a part of the text, such as one with a quote inside. */
export const plainBlock = (lines: PlainLines): PlainBlock | null => {
  const { text, end, columnCount } = lines;
  const found = positionsIn(lines);
  if (found === null) return null;
  const { from, to, count } = found;
  const row = (index: number): string[] => {
    const cells: string[] = [];
    for (let cell = index * columnCount; cell < (index + 1) * columnCount; cell += 1)
      cells.push(text.slice(from[cell], to[cell]));
    return cells;
  };
  const numbers = (cell: number, read: (from: number, to: number) => number): Float64Array => {
    const values = new Float64Array(count);
    for (let index = 0, at = cell; index < count; index += 1, at += columnCount) {
      const [start, stop] = [from[at] ?? end, to[at] ?? end];
      values[index] = start === stop ? emptyCell : read(start, stop);
    }
    return values;
  };
  const cells: Cells = {
    count,
    row,
    text: (cell, index) => text.slice(from[index * columnCount + cell], to[index * columnCount + cell]),
    codes: (cell, dictionary) => codesOf(found, { text, cell, columnCount, dictionary }),
    times: (cell, form) => numbers(cell, timeReader(text, form)),
    decimals: (cell, form) => numbers(cell, (start, stop) => decimalIn(text, start, stop, form)),
    integers: (cell) => numbers(cell, (start, stop) => digitsIn(text, start, stop)),
  };
  let rows: string[][] | null = null;
  return {
    get rows() {
      return (rows ??= Array.from({ length: count }, (_, index) => row(index)));
    },
    lineOf: (index) => found.lines[index] ?? lines.line,
    broken: found.broken,
    cells,
    nextLine: found.nextLine,
    ...(found.otherAt !== null && { fault: { is: 'otherHeader', line: found.otherAt } }),
  };
};

interface Positions {
  readonly count: number;
  /** By row, then by column. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly lines: Int32Array;
  readonly broken: BrokenRow[];
  readonly nextLine: number;
  readonly otherAt: number | null;
}

const linesIn = (text: string, end: number): number => {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
};

/** The position of the quote that closes a cell in one line, without a quote inside and with nothing behind it. Otherwise -1. */
const closingQuote = (text: string, opening: number, separator: number): number => {
  for (let at = opening + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === lineFeed) return -1;
    if (code !== quote) continue;
    const next = text.charCodeAt(at + 1);
    const isEnd = next === separator || next === lineFeed;
    return isEnd || (next === carriageReturn && text.charCodeAt(at + 2) === lineFeed) ? at : -1;
  }
  return -1;
};

const positionsIn = ({ text, end, delimiter, columnCount, line: first, headers }: PlainLines): Positions | null => {
  const separator = delimiter.charCodeAt(0);
  const lineMax = linesIn(text, end);
  const from = new Int32Array(lineMax * columnCount);
  const to = new Int32Array(lineMax * columnCount);
  const lines = new Int32Array(lineMax);
  const broken: BrokenRow[] = [];
  const columnsText = (stop: number): string => text.slice(lineStart, stop).replaceAll(delimiter, ',');
  const headerOf = (row: number, place: number): HeaderLine => {
    const begin = row * columnCount;
    if (!headers.canBegin(text.charCodeAt(from[begin] ?? 0)) && !headers.canBegin(text.charCodeAt(from[place] ?? 0)))
      return null;
    return headers.kindOf(Array.from({ length: columnCount }, (_, at) => text.slice(from[begin + at], to[begin + at])));
  };
  let [count, line, start, cell, lineStart] = [0, first, 0, 0, 0];
  /** Where the quoted cell ends that was just read, and whether its line has one. */
  let [closing, isQuoted] = [-1, false];
  for (let at = 0; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      closing = at === start ? closingQuote(text, at, separator) : -1;
      if (closing < 0) return null;
      isQuoted = true;
      at = closing;
      continue;
    }
    if (code !== separator && code !== lineFeed) continue;
    const place = count * columnCount + cell;
    const stop = code === lineFeed && at > lineStart && text.charCodeAt(at - 1) === carriageReturn ? at - 1 : at;
    if (cell < columnCount) {
      from[place] = closing < 0 ? start : start + 1;
      to[place] = closing < 0 ? stop : closing;
    }
    closing = -1;
    cell += 1;
    start = at + 1;
    if (code === separator) continue;
    const header = cell === columnCount ? headerOf(count, place) : null;
    if (header === 'other') return { count, from, to, lines, broken, nextLine: line, otherAt: line };
    if (header === null && cell === columnCount) {
      lines[count] = line;
      count += 1;
    } else if (isQuoted) return null;
    else if (header === 'again') broken.push({ line, reason: headerAgain, text: columnsText(stop) });
    else if (cell > 1 || stop > lineStart) {
      broken.push({ line, reason: 'the number of columns differs from the header', text: columnsText(stop) });
    }
    line += 1;
    cell = 0;
    lineStart = start;
    isQuoted = false;
  }
  return { count, from, to, lines, broken, nextLine: line, otherAt: null };
};

const codesOf = (
  { from, to, count }: Positions,
  { text, cell, columnCount, dictionary }: { text: string; cell: number; columnCount: number; dictionary: Dictionary },
): Int32Array => {
  const codes = new Int32Array(count);
  for (let index = 0, at = cell; index < count; index += 1, at += columnCount)
    codes[index] = dictionary.codeOf(text, from[at] ?? 0, to[at] ?? 0);
  return codes;
};

const digitsMax = 15;

/** A whole number of at most 15 digits. */
export const digitsIn = (text: string, from: number, to: number): number => {
  if (to - from > digitsMax) return unreadCell;
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code < zero || code > nine) return unreadCell;
    value = value * 10 + (code - zero);
  }
  return value;
};

const noisyDecimals = 6;

export const decimalIn = (
  text: string,
  from: number,
  to: number,
  { pointLeft, decimals, floatNoise, places }: DecimalForm,
): number => {
  if (to - from > digitsMax + 1) return unreadCell;
  let [value, digits, fraction] = [0, 0, -1];
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code === point && fraction < 0) fraction = 0;
    else if (code < zero || code > nine) return unreadCell;
    else {
      value = value * 10 + (code - zero);
      digits += 1;
      if (fraction >= 0) fraction += 1;
    }
  }
  const scale = Math.max(0, fraction) + pointLeft;
  if (digits === 0 || digits > digitsMax || scale > decimals || (floatNoise && scale >= noisyDecimals))
    return unreadCell;
  const scaled = value * 10 ** (places - scale);
  return scaled < scaledMax ? scaled : unreadCell;
};

const timeReader = (text: string, form: TimeForm): ((from: number, to: number) => number) => {
  const read = textTimes(form);
  return read === null ? () => unreadCell : (from, to) => read(text, from, to);
};
