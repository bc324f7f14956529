import { ImportError } from '../errors.js';
import { recordCharsMax, type BrokenRow, type RowBlock, type Source } from './source.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** JSON lines: one object a line. Columns are dotted paths, so `raw.bestBid` reads `{"raw": {"bestBid": 0.5}}`. */
export const openJsonLines = async (path: string, text: AsyncGenerator<string, void, undefined>): Promise<Source> => {
  const { first, head } = await firstObject(path, text);
  const columns = pathsOf(first, '');
  const wanted: string[] = [];
  return {
    format: 'jsonl',
    columns,
    findCell: (column) => {
      if (!wanted.includes(column)) {
        if (!columns.includes(column)) return null;
        wanted.push(column);
      }
      return wanted.indexOf(column);
    },
    blocks: () => rowBlocks({ path, head, text, wanted: wanted.map((column) => column.split('.')) }),
  };
};

const firstObject = async (path: string, text: AsyncGenerator<string, void, undefined>) => {
  let head = '';
  for (;;) {
    const next = await text.next();
    if (next.done !== true) head += next.value;
    const line = head.trimStart().split('\n', 1)[0] ?? '';
    const whole = next.done === true || line.length < head.trimStart().length;
    if (whole) {
      const first = parseObject(line);
      if (typeof first !== 'string') return { first, head };
      throw new ImportError(
        `${path}: is neither CSV nor JSON lines: it begins like JSON, but its first line is ${first}; ` +
          'JSON lines have one whole object on each line',
      );
    }
    if (head.length > recordCharsMax) throw new ImportError(`${path}: its first line has no end; is it JSON lines?`);
  }
};

const pathsOf = (value: JsonObject, above: string): readonly string[] =>
  Object.entries(value).flatMap(([key, inner]) =>
    isObject(inner) ? pathsOf(inner, `${above}${key}.`) : [`${above}${key}`],
  );

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

async function* rowBlocks(from: {
  path: string;
  head: string;
  text: AsyncIterable<string>;
  wanted: readonly (readonly string[])[];
}): AsyncGenerator<RowBlock, void, undefined> {
  let line = 1;
  let rest = '';
  const take = (lines: readonly string[]): RowBlock => {
    const block = readLines(lines, line, from.wanted);
    line += lines.length;
    return block;
  };
  for await (const chunk of following(from.head, from.text)) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield take(lines);
    if (rest.length > recordCharsMax) throw new ImportError(`${from.path}: line ${line} has no end`);
  }
  if (rest !== '') yield take([rest]);
}

async function* following(first: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield first;
  yield* rest;
}

const readLines = (texts: readonly string[], firstLine: number, wanted: readonly (readonly string[])[]): RowBlock => {
  const rows: string[][] = [];
  const lines: number[] = [];
  const broken: BrokenRow[] = [];
  texts.forEach((text, index) => {
    if (text.trim() === '') return;
    const value = parseObject(text);
    if (typeof value === 'string') broken.push({ line: firstLine + index, reason: value, text });
    else {
      rows.push(wanted.map((steps) => cellText(value, steps)));
      lines.push(firstLine + index);
    }
  });
  return { rows, lineOf: (row) => lines[row] ?? firstLine, broken };
};

const cellText = (value: JsonObject, steps: readonly string[]): string => {
  let at: unknown = value;
  for (const step of steps) at = isObject(at) ? at[step] : undefined;
  if (typeof at === 'string') return at;
  if (at === undefined || at === null) return '';
  return typeof at === 'number' ? String(at) : JSON.stringify(at);
};

/**
 * A number of up to 15 digits comes back from a binary float as it was written, and one of 16 when its first digit is
 * below 9; a line with a longer one is read with each number's own text instead.
 */
const beyondFloat = /[\d.]{18}|\d{17}|9[\d.]{15}/;

/** The object, or why there is none. */
const parseObject = (text: string): JsonObject | string => {
  let value: unknown;
  try {
    value = beyondFloat.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  return isObject(value) ? value : 'not a JSON object';
};

/** Node 24 hands the source text of a primitive to the reviver; the type of `JSON.parse` does not know it yet. */
const exactNumber = (_key: string, value: unknown, ...rest: readonly unknown[]): unknown => {
  const context = rest[0];
  return typeof value === 'number' && isObject(context) && typeof context['source'] === 'string'
    ? context['source']
    : value;
};
