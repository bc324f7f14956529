import { parseObject } from './json-lines.js';
import {
  type ColumnTime,
  isObject,
  type JsonObject,
  type RecordBlock,
  type RecordSource,
  type RowBlock,
  type Source,
  type TypedRows,
} from './source.js';
import { columnCells } from './column-cells.js';

/**
 * JSON records as rows for a mapping. Columns are dotted paths: `raw.bid` reads `{"raw": {"bid": 0.5}}`, and `{"raw": "{\"bid\":
 * 0.5}"}`, as recorders and databases store JSON as text.
 */
export const rowsOf = (records: RecordSource): Source => {
  const paths = pathsOf(records.first ?? {});
  const times = new Map<string, ColumnTime>();
  for (const { name, time } of records.table?.columns ?? []) {
    if (!paths.has(name)) paths.set(name, name.split('.'));
    if (time) times.set(name, time);
  }
  const columns = Array.from(paths.keys());
  const columnPaths: (readonly string[])[] = [];
  return {
    format: records.format,
    numbering: records.numbering,
    columns,
    times,
    findCell: (column) => {
      const path = paths.get(column) ?? insideText(column, paths, records.first) ?? wholeObject(column, paths);
      if (path === null) return null;
      paths.set(column, path);
      if (!columnPaths.includes(path)) columnPaths.push(path);
      return columnPaths.indexOf(path);
    },
    blocks: (asCells = false) => rowBlocks(records, columnPaths, asCells),
    hasCells: records.format === 'parquet',
  };
};

/** The columns of a record by name. A text of JSON is a column, and so is what is in it. */
const pathsOf = (record: JsonObject): Map<string, readonly string[]> => {
  const paths = new Map<string, readonly string[]>();
  const visit = (value: JsonObject, above: readonly string[]): void => {
    for (const [key, inner] of Object.entries(value)) {
      const path = [...above, key];
      const object = objectIn(inner);
      if (object === null || typeof inner === 'string') paths.set(path.join('.'), path);
      if (object !== null) visit(object, path);
    }
  };
  visit(record, []);
  return paths;
};

/** Rows of one table can have different JSON in a column, so a path into it need not be in the first row. */
const insideText = (
  column: string,
  paths: ReadonlyMap<string, readonly string[]>,
  first: JsonObject | null,
): readonly string[] | null => {
  for (let end = column.lastIndexOf('.'); end > 0; end = column.lastIndexOf('.', end - 1)) {
    const path = paths.get(column.slice(0, end));
    if (path && first && objectIn(valueAt(first, path)) !== null) return [...path, ...column.slice(end + 1).split('.')];
  }
  return null;
};

/** An object as the text of its JSON. */
const wholeObject = (column: string, paths: ReadonlyMap<string, unknown>): readonly string[] | null =>
  Array.from(paths.keys()).some((name) => name.startsWith(`${column}.`)) ? column.split('.') : null;

/** An object, or the one that a text of JSON contains. */
const objectIn = (value: unknown): JsonObject | null => {
  if (typeof value !== 'string') return isObject(value) ? value : null;
  if (!value.startsWith('{')) return null;
  if (value !== lastText) [lastText, lastObject] = [value, parsed(value)];
  return lastObject;
};

/** The columns of one row mostly lie in the same text. */
let [lastText, lastObject]: [string, JsonObject | null] = ['', null];

const parsed = (text: string): JsonObject | null => {
  const object = parseObject(text);
  return typeof object === 'string' ? null : object;
};

async function* rowBlocks(
  source: RecordSource,
  columnPaths: readonly (readonly string[])[],
  asCells: boolean,
): AsyncGenerator<RowBlock, void, undefined> {
  const wanted = new Set(columnPaths.flatMap(([key]) => key ?? []));
  for await (const block of source.blocks(wanted))
    yield (asCells ? columnBlock(block, columnPaths) : null) ?? rowBlock(block, columnPaths);
}

/** Columns of a typed file. Null if one is nested. */
const columnBlock = (block: RecordBlock, paths: readonly (readonly string[])[]): RowBlock | null => {
  const { byColumn, broken } = block;
  const columns = paths.flatMap((path) => (path.length === 1 ? (byColumn?.columns.get(path[0] ?? '') ?? []) : []));
  if (!byColumn || columns.length < paths.length) return null;
  return ofColumns(byColumn, columns, { broken, rows: () => rowBlock(block, paths).rows });
};

const ofColumns = (
  { count, line }: TypedRows,
  columns: Parameters<typeof columnCells>[0]['columns'],
  { broken, rows }: Pick<RowBlock, 'broken'> & { readonly rows: () => RowBlock['rows'] },
): RowBlock => {
  let made: RowBlock['rows'] | null = null;
  return {
    get rows() {
      return (made ??= rows());
    },
    lineOf: (row) => line + row,
    broken,
    cells: columnCells({ count, columns, textOf: textOfValue }),
  };
};

const rowBlock = ({ records, broken }: RecordBlock, columnPaths: readonly (readonly string[])[]): RowBlock => ({
  rows: records.map(({ value }) => columnPaths.map((steps) => cellText(value, steps))),
  lineOf: (row) => records[row]?.line ?? 1,
  broken,
});

const valueAt = (value: JsonObject, steps: readonly string[]): unknown => {
  let at: unknown = value;
  for (const step of steps) at = at === value ? value[step] : objectIn(at)?.[step];
  return at;
};

const cellText = (value: JsonObject, steps: readonly string[]): string => textOfValue(valueAt(value, steps));

const textOfValue = (at: unknown): string => {
  if (typeof at === 'string') return at;
  if (at === undefined || at === null) return '';
  return typeof at === 'number' ? String(at) : JSON.stringify(at);
};
