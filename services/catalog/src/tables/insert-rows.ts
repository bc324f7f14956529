import { type ClickHouse, insertBytes } from '@almanac/clickhouse';
import { columns, type TableRows } from './rows.js';

export interface Insert {
  readonly of: keyof TableRows;
  /** Another table with the same columns. */
  readonly into?: string;
}

export const insertRows = (clickhouse: ClickHouse, rows: readonly object[], insert: Insert): Promise<void> =>
  insertLines(
    clickhouse,
    rows.map((row) => JSON.stringify(row)),
    insert,
  );

export const insertLines = async (
  clickhouse: ClickHouse,
  lines: readonly string[],
  { of, into = of }: Insert,
): Promise<void> => {
  if (lines.length === 0) return;
  const body = Buffer.from(lines.join('\n'));
  await insertBytes(clickhouse, { table: into, columns: columns[of], format: 'JSONEachRow', body });
};
