import { ImportError } from '../../errors.js';
import type { Mapping, MappingFields } from '../../mapping/mapping.js';
import { firstGroup } from '../../mapping/readers.js';
import type { KnownOutcomes } from '../../sources/known-outcomes.js';
import type { BrokenRow, RowBlock, Source } from '../../sources/source.js';

/** Columns that a join adds before those of the file, which has none of these names. */
const joined = { ticker: '\0ticker', outcome: '\0outcome' } as const;

const reasons = {
  token: 'the token belongs to no known market',
  condition: 'the condition belongs to no known market',
} as const;

interface Join {
  readonly outcomes: Pick<KnownOutcomes, 'get' | 'find'>;
  readonly file: string;
}

/**
 * Rows that name their market by its token or condition, with its ticker. A token is an outcome, so its rows also have
 * that. A row whose market nobody knows is refused, and the file waits for it.
 */
export const joinedRows = (
  source: Source,
  { name, fields }: Mapping,
  { outcomes, file }: Join,
): { readonly source: Source; readonly fields: MappingFields } => {
  const { ticker } = fields;
  if (ticker === undefined || !('of' in ticker) || ticker.of === undefined) return { source, fields };
  const { of, column, pattern } = ticker;
  const cell = source.findCell(column);
  if (cell === null)
    throw new ImportError(
      `${file}: the column ${column} is missing. The field ticker of the mapping ${name} needs it.`,
    );
  const idOf = (row: readonly string[]): string => {
    const text = (row[cell] ?? '').trim();
    return pattern === undefined ? text : (firstGroup(pattern, text) ?? '');
  };
  const findCell = (wanted: string): number | null => {
    if (wanted === joined.ticker) return 0;
    if (wanted === joined.outcome) return 1;
    const found = source.findCell(wanted);
    return found === null ? null : found + 2;
  };
  return {
    fields: {
      ...fields,
      ticker: { column: joined.ticker },
      ...(of === 'token' && fields.outcome === undefined && { outcome: { column: joined.outcome } }),
    },
    source: {
      ...source,
      hasCells: false,
      findCell,
      blocks: async function* () {
        for await (const block of source.blocks()) {
          await outcomes.find(block.rows.map(idOf));
          yield joinedBlock(block, { idOf, of, outcomes });
        }
      },
    },
  };
};

const joinedBlock = (
  { rows, lineOf, broken }: RowBlock,
  {
    idOf,
    of,
    outcomes,
  }: Pick<Join, 'outcomes'> & { idOf: (row: readonly string[]) => string; of: keyof typeof reasons },
): RowBlock => {
  const found: { readonly row: readonly string[]; readonly line: number }[] = [];
  const refused: BrokenRow[] = [];
  for (const [index, row] of rows.entries()) {
    const id = idOf(row);
    const market = id === '' ? undefined : outcomes.get(id);
    const line = lineOf(index);
    // Without an id, the row has no ticker.
    if (id !== '' && !market) refused.push({ line, reason: reasons[of], text: row.join(','), of: id });
    else found.push({ row: [market?.ticker ?? '', market && id === market.no ? 'no' : 'yes', ...row], line });
  }
  return {
    rows: found.map(({ row }) => row),
    lineOf: (index) => found[index]?.line ?? 0,
    broken: [...broken, ...refused].toSorted((a, b) => a.line - b.line),
  };
};
