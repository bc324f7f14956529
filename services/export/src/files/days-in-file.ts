import { type ClickHouse, rowsInBackground } from '@almanac/clickhouse';
import { dayUs, type ExportManifest, utcDayOf } from '@almanac/contracts';
import { z } from 'zod';
import { windowOf } from './target.js';
import type { FileQuery } from './file-selection.js';
import { rowsOfDaysSql } from './file-sql.js';
import { hasRows } from './row-columns.js';

const dayRows = z.object({ day: z.string(), rows: z.int() });

/** The observations of every day of a range, also of days without any. Undefined for other targets. */
export const daysIn = async (
  clickhouse: ClickHouse,
  exportQuery: FileQuery,
  signal: AbortSignal,
): Promise<ExportManifest['days']> => {
  const window = windowOf(exportQuery);
  if (window === null || exportQuery.from === undefined || !hasRows(exportQuery)) return undefined;
  const found = await rowsInBackground(clickhouse, { ...rowsOfDaysSql(exportQuery), signal }, dayRows);
  const rowsOf = new Map(found.map(({ day, rows: counted }) => [day, counted]));
  const days: { day: string; rows: number }[] = [];
  for (let us = window.from_us; us < window.to_us; us += dayUs) {
    const day = utcDayOf(us);
    days.push({ day, rows: rowsOf.get(day) ?? 0 });
  }
  return days;
};
