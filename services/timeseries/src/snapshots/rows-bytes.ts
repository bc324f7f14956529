import { rowStart } from './rows-sql.js';

/** What is told of the rows of a page beside the rows. */
export interface RowsInfo {
  /** Stored rows in the window. */
  readonly matched: number;
  /** Rows before the limit. */
  readonly rowsBeforeLimit: number;
  /** Time of the last row, null without rows. */
  readonly lastUs: number | null;
}

/** What ClickHouse wrote, cut where its figures stand; `json` is the array of rows, unread. */
export interface RowsBytes extends RowsInfo {
  readonly json: Buffer;
}

/** A page of rows in a form of its own, unread. */
export interface PageBytes extends RowsInfo {
  readonly bytes: Buffer;
}

const bracket = 0x5b;
const lineFeed = 0x0a;
const comma = 0x2c;
const noRows = Buffer.from('[]');

/** Throws for bytes that are no such answer. */
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

/** A page of text behind a line with its figures; `empty` is the page without rows. Throws for what is none. */
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

/** The end of a line, which is all that is written without rows. */
const emptyLengthMax = 2;

const lastUsIn = (json: Buffer): number => {
  const at = json.lastIndexOf(rowStart) + rowStart.length;
  return microsIn(json.toString('latin1', at, json.indexOf(comma, at)));
};

/** Exact microseconds of seconds as text, such as `1771993365.058297`. */
const microsIn = (text: string): number => {
  const [seconds = '', fraction = ''] = text.split('.');
  return Number(seconds + fraction.padEnd(6, '0'));
};
