import type { ExportQuery } from '@almanac/contracts';
import type { FileQuery, Selection } from '../files/file-selection.js';
import { hftbacktestFile, hftbacktestRows } from './hftbacktest-sql.js';
import { tardisFile, tardisRows } from './tardis-sql.js';

type Layout = Pick<ExportQuery, 'format' | 'streams'>;

const rowsOf = (layout: Layout, selection: Selection): string =>
  layout.format === 'hftbacktest' ? hftbacktestRows(layout, selection) : tardisRows(layout, selection);

/** All rows of the file of an engine, in the columns of its format. */
export const engineFile = (exportQuery: ExportQuery, selection: Selection): string => {
  const rows = rowsOf(exportQuery, selection);
  return exportQuery.format === 'hftbacktest' ? hftbacktestFile(rows) : tardisFile(exportQuery, rows);
};

/** Ticker and time of each row in the file of an engine. */
export const engineRowTimes = (exportQuery: FileQuery, selection: Selection): string =>
  `SELECT market AS ticker, at AS ts FROM (${rowsOf(exportQuery, selection)})`;
