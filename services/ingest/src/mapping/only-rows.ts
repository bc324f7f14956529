import { ImportError } from '../errors.js';
import type { RowBlock, Source } from '../sources/source.js';
import type { Mapping } from './mapping.js';

/** The rows of a source that a mapping is for. One table can have rows of several venues. */
export const onlyRows = (source: Source, { name, only }: Mapping, file: string): Source => {
  if (only === undefined) return source;
  const cell = source.findCell(only.column);
  if (cell === null)
    throw new ImportError(
      `${file}: the column ${only.column} is missing. The key only of the mapping ${name} needs it.`,
    );
  const values = new Set(only.values);
  return {
    ...source,
    hasCells: false,
    blocks: async function* () {
      for await (const block of source.blocks()) yield chosen(block, (row) => values.has((row[cell] ?? '').trim()));
    },
  };
};

const chosen = ({ rows, lineOf, broken }: RowBlock, isChosen: (row: readonly string[]) => boolean): RowBlock => {
  const indexes = Array.from(rows.keys()).filter((index) => isChosen(rows[index] ?? []));
  return {
    rows: indexes.map((index) => rows[index] ?? []),
    lineOf: (row) => lineOf(indexes[row] ?? 0),
    broken,
  };
};
