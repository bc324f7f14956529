import { ImportError } from '../errors.js';
import {
  type BrokenRow,
  following,
  isObject,
  type JsonObject,
  type JsonRecord,
  type RecordBlock,
  recordCharsMax,
  type RecordSource,
} from './source.js';

/** JSON lines: one object per line. An invalid line costs only that line. `head` was already read from `text`. */
export const openJsonLines = (
  path: string,
  first: JsonObject,
  { head, text }: { head: string; text: AsyncIterable<string> },
): RecordSource => ({
  format: 'jsonl',
  numbering: 'line',
  first,
  blocks: () => recordBlocks(path, following([head], text)),
});

async function* recordBlocks(path: string, text: AsyncIterable<string>): AsyncGenerator<RecordBlock, void, undefined> {
  let line = 1;
  let rest = '';
  const take = (lines: readonly string[]): RecordBlock => {
    const block = readLines(lines, line);
    line += lines.length;
    return block;
  };
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield take(lines);
    if (rest.length > recordCharsMax) throw new ImportError(`${path}: line ${line} is too long`);
  }
  if (rest !== '') yield take([rest]);
}

const readLines = (texts: readonly string[], firstLine: number): RecordBlock => {
  const records: JsonRecord[] = [];
  const broken: BrokenRow[] = [];
  texts.forEach((text, index) => {
    if (text.trim() === '') return;
    const value = parseObject(text);
    if (typeof value === 'string') broken.push({ line: firstLine + index, reason: value, text });
    else records.push({ value, line: firstLine + index });
  });
  return { records, broken };
};

/**
 * A binary float returns a number of up to 15 digits unchanged, and one of 16 if its first digit is below 9. In a line
 * with a longer one, each number keeps its source text.
 */
const beyondFloat = /[\d.]{18}|\d{17}|9[\d.]{15}/;

/** The object, or why the text is not one. */
export const parseObject = (text: string): JsonObject | string => {
  let value: unknown;
  try {
    value = beyondFloat.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  return isObject(value) ? value : 'not a JSON object';
};

/** Node 24 passes the source text of a primitive to the reviver. The type of `JSON.parse` does not include it yet. */
const exactNumber = (_key: string, value: unknown, ...rest: readonly unknown[]): unknown => {
  const context = rest[0];
  return typeof value === 'number' && isObject(context) && typeof context['source'] === 'string'
    ? context['source']
    : value;
};
