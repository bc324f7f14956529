import type { RecordBlock, RecordSource, Source } from './source.js';

/** The rows of a CSV file as records, whose keys are the columns and whose values are texts. */
export const recordsOfRows = (source: Source): Pick<RecordSource, 'numbering' | 'blocks'> => {
  const cells = source.columns.map((name) => [name, source.findCell(name)] as const);
  return { numbering: source.numbering, blocks: () => recordBlocks(source, cells) };
};

async function* recordBlocks(
  source: Source,
  cells: readonly (readonly [string, number | null])[],
): AsyncGenerator<RecordBlock, void, undefined> {
  for await (const { rows, lineOf, broken } of source.blocks()) {
    const records = rows.map((row, index) => ({
      value: Object.fromEntries(cells.map(([name, cell]) => [name, cell === null ? '' : (row[cell] ?? '')])),
      line: lineOf(index),
    }));
    yield { records, broken };
  }
}
