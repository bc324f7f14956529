import { type ClickHouse, insertBytes } from '@almanac/clickhouse';
import { columns, type TableRows } from './rows.js';

export interface Insert {
  readonly of: keyof TableRows;
  /** Another table of the same form. */
  readonly into?: string;
}

/** Inserts rows of one of the catalogue's tables. */
export const insertRows = (clickhouse: ClickHouse, rows: readonly object[], insert: Insert): Promise<void> =>
  insertLines(
    clickhouse,
    rows.map((row) => JSON.stringify(row)),
    insert,
  );

/** The same of rows that are JSON already. */
export const insertLines = async (
  clickhouse: ClickHouse,
  lines: readonly string[],
  { of, into = of }: Insert,
): Promise<void> => {
  if (lines.length === 0) return;
  const body = Buffer.from(lines.join('\n'));
  await insertBytes(clickhouse, { table: into, columns: columns[of], format: 'JSONEachRow', body });
};
