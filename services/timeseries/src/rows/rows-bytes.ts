import { rowStart } from './rows-sql.js';

export interface RowsInfo {
  readonly matched: number;
  /** Rows before the limit is applied. */
  readonly rowsBeforeLimit: number;
  /** Time of the last row in integer microseconds, null without rows. */
  readonly lastUs: number | null;
}

/** The answer of ClickHouse without its figures. `json` is the array of rows, not parsed. */
export interface RowsBytes extends RowsInfo {
  readonly json: Buffer;
}

export interface PageBytes extends RowsInfo {
  readonly bytes: Buffer;
}

const bracket = 0x5b;
const lineFeed = 0x0a;
const comma = 0x2c;
const noRows = Buffer.from('[]');

/** Throws if the bytes do not have this layout. */
export const cutRows = (answer: Buffer): RowsBytes => {
  const lineEnd = answer.at(-1) === lineFeed ? answer.length - 1 : answer.length;
  const end = answer.lastIndexOf(lineFeed, lineEnd - 1);
  const rowsBeforeLimit = Number(answer.toString('latin1', end + 1, lineEnd));
  if (end < 1 || !Number.isInteger(rowsBeforeLimit)) throw new Error('the rows do not end with their number');
  if (answer[0] !== bracket && rowsBeforeLimit === 0)
    return { json: noRows, matched: 0, rowsBeforeLimit, lastUs: null };
  const start = answer.indexOf(bracket);
  const matched = Number(answer.toString('latin1', 0, start));
  if (!Number.isInteger(matched)) throw new Error('the rows do not begin with their number');
  const json = answer.subarray(start, end);
  return { json, matched, rowsBeforeLimit, lastUs: lastUsIn(json) };
};

/** Splits the first line with figures from a page of text. `empty` is the page without rows. Throws without figures. */
export const cutPage = (answer: Buffer, empty: string): PageBytes => {
  if (answer.length <= emptyLengthMax)
    return { bytes: Buffer.from(empty), matched: 0, rowsBeforeLimit: 0, lastUs: null };
  const end = answer.indexOf(lineFeed);
  const [matched = NaN, rowsBeforeLimit = NaN, lastUs = NaN, ...more] = answer
    .toString('latin1', 0, end)
    .split(' ')
    .map(Number);
  if (
    end < 0 ||
    more.length > 0 ||
    ![matched, rowsBeforeLimit, lastUs].every((figure) => Number.isSafeInteger(figure))
  ) {
    throw new Error('the page does not begin with its figures');
  }
  return { bytes: answer.subarray(end + 1), matched, rowsBeforeLimit, lastUs };
};

/** Without rows ClickHouse writes only the end of a line. */
const emptyLengthMax = 2;

const lastUsIn = (json: Buffer): number => {
  const at = json.lastIndexOf(rowStart) + rowStart.length;
  return microsIn(json.toString('latin1', at, json.indexOf(comma, at)));
};

/** Converts seconds as text, such as `1771993365.058297`, to exact microseconds. */
const microsIn = (text: string): number => {
  const [seconds = '', fraction = ''] = text.split('.');
  return Number(seconds + fraction.padEnd(6, '0'));
};
