import {
  isObject,
  type JsonObject,
  type RecordBlock,
  type RecordSource,
  type RowBlock,
  type Source,
} from './source.js';

/** JSON records as rows for a mapping. Columns are dotted paths: `raw.bid` reads `{"raw": {"bid": 0.5}}`. */
export const rowsOf = (records: RecordSource): Source => {
  const columns = records.first === null ? [] : pathsOf(records.first, '');
  const columnPaths: string[] = [];
  return {
    format: records.format,
    numbering: records.numbering,
    columns,
    findCell: (column) => {
      if (!columnPaths.includes(column)) {
        if (!columns.includes(column)) return null;
        columnPaths.push(column);
      }
      return columnPaths.indexOf(column);
    },
    blocks: () =>
      rowBlocks(
        records,
        columnPaths.map((column) => column.split('.')),
      ),
  };
};

const pathsOf = (value: JsonObject, above: string): readonly string[] =>
  Object.entries(value).flatMap(([key, inner]) =>
    isObject(inner) ? pathsOf(inner, `${above}${key}.`) : [`${above}${key}`],
  );

async function* rowBlocks(
  source: RecordSource,
  columnPaths: readonly (readonly string[])[],
): AsyncGenerator<RowBlock, void, undefined> {
  for await (const block of source.blocks()) yield rowBlock(block, columnPaths);
}

const rowBlock = ({ records, broken }: RecordBlock, columnPaths: readonly (readonly string[])[]): RowBlock => ({
  rows: records.map(({ value }) => columnPaths.map((steps) => cellText(value, steps))),
  lineOf: (row) => records[row]?.line ?? 1,
  broken,
});

const cellText = (value: JsonObject, steps: readonly string[]): string => {
  let at: unknown = value;
  for (const step of steps) at = isObject(at) ? at[step] : undefined;
  if (typeof at === 'string') return at;
  if (at === undefined || at === null) return '';
  return typeof at === 'number' ? String(at) : JSON.stringify(at);
};
