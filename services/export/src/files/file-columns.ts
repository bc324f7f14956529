import type { ExportQuery } from '@almanac/contracts';
import { marketColumns } from './file-sql.js';
import { hasRows, rowColumns } from './row-columns.js';

export type ColumnType = 'text' | 'number' | 'time' | 'levels';

export interface FileColumn {
  readonly name: string;
  readonly type: ColumnType;
}

const numbers = new Set(['seq', 'price', 'size', 'floor_strike', 'expiration_value']);
const isNumber = (name: string): boolean => numbers.has(name) || /^(?:yes|coin)_/.test(name);

const columnOf = (name: string): FileColumn => {
  if (name.endsWith('_ts') || name === 'ts') return { name, type: 'time' };
  if (name.startsWith('orderbook_')) return { name, type: 'levels' };
  return { name, type: isNumber(name) ? 'number' : 'text' };
};

/** The columns of a file that has a table, in their order. */
export const fileColumns = (exportQuery: ExportQuery): readonly FileColumn[] => {
  const market = marketColumns(exportQuery).map(([name]) => name);
  const rows = rowColumns(exportQuery).flatMap(({ name }) =>
    name === 'has_book' ? [] : [name.replace(/^book_/, 'orderbook_')],
  );
  const names = hasRows(exportQuery)
    ? ['ticker', ...market.slice(0, 2), 'ts', 'venue_ts', ...rows, ...market.slice(2)]
    : ['ticker', ...market];
  return names.map(columnOf);
};
