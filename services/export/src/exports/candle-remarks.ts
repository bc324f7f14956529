import { type ClickHouse, orUnavailable, rows } from '@almanac/clickhouse';
import { type ExportQuery, isEngineFormat, missingRowsOf } from '@almanac/contracts';
import { z } from 'zod';
import { selectionOf } from '../files/file-selection.js';
import { hasRows, rowSources } from '../files/row-columns.js';

const counted = z.object({ markets: z.coerce.number() });

/** What to add to the streams, if markets of a request have no rows in its file and candles of their venue. */
export const candleRemarks = async (
  clickhouse: ClickHouse,
  exportQuery: ExportQuery,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const { streams, format } = exportQuery;
  if (streams.includes('candles') || !hasRows(exportQuery) || isEngineFormat(format)) return [];
  const selection = selectionOf(exportQuery);
  const without = rowSources(exportQuery, selection).map(
    ({ table, where }) => `ticker NOT IN (SELECT ticker FROM ${table} WHERE ${where})`,
  );
  const sql = `SELECT uniqExact(ticker) AS markets FROM venue_candles WHERE ${[selection.candles, ...without].join(' AND ')}`;
  const query = { sql, params: selection.params, signal };
  const [{ markets } = { markets: 0 }] = await orUnavailable(rows(clickhouse, query, counted), 'archive');
  if (markets === 0) return [];
  const [who, them] = markets === 1 ? ['1 market has', 'it'] : [`${markets} markets have`, 'them'];
  const venue = markets === 1 ? 'its venue' : 'their venues';
  return [
    `${who} no ${missingRowsOf(streams)}, but candles of ${venue}. Add "candles" to streams to export ${them}, too.`,
  ];
};
