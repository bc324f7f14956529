import { isEngineFormat } from '@almanac/contracts';
import { type FileQuery, marketsWhere, selectionOf } from './file-selection.js';
import type { Statement } from './file-sql.js';
import { engineRowTimes } from '../engine-formats/engine-sql.js';
import { hasRows, rowSources } from './row-columns.js';

const bounds = 'toUnixTimestamp64Micro(min(ts)) AS first_us, toUnixTimestamp64Micro(max(ts)) AS last_us';
const noBounds = 'NULL AS first_us, NULL AS last_us';

/**
 * The stats of a file's markets, each in a row of its own: the life of a market, the number of its rows in each table,
 * its recorded spans, and the bounds of its observations, which matter without spans. Joins of them take ClickHouse half
 * as long again. Rows of a ticker without a life are not of the file.
 */
export const marketStatsSql = (exportQuery: FileQuery): Statement => {
  const selection = selectionOf(exportQuery);
  const { markets, tickers, observations, received = '1', params } = selection;
  const isOfEngine = isEngineFormat(exportQuery.format);
  const sources = isOfEngine || !hasRows(exportQuery) ? [] : rowSources(exportQuery, selection);
  const countsAll = observations === tickers && sources.some(({ table }) => table === 'snapshots');
  const counts = sources.map(({ table, where }) => {
    const found = `count() AS stored, ${countsAll && table === 'snapshots' ? bounds : noBounds}`;
    return `SELECT ticker, ${noLife}, ${found}, ${noSpans} FROM ${table} FINAL WHERE ${where} GROUP BY ticker`;
  });
  const unrecorded = `${tickers} AND ticker NOT IN (SELECT ticker FROM recorded_spans WHERE ${tickers})`;
  const parts = [
    `SELECT ticker, true AS has_life, open_us, close_us, 0 AS stored, ${noBounds}, ${noSpans}
FROM ${marketsWhere(exportQuery, markets)}`,
    ...counts,
    ...(isOfEngine
      ? [
          `SELECT ticker, ${noLife}, count() AS stored, ${noBounds}, ${noSpans}
FROM (${engineRowTimes(exportQuery, selection)}) GROUP BY ticker`,
        ]
      : []),
    `SELECT ticker, ${noLife}, 0 AS stored, ${noBounds}, ${spans}
FROM recorded_spans FINAL WHERE ${tickers} GROUP BY ticker`,
    // The bounds are read with the counts if these count all observations, and otherwise only for markets without spans.
    ...(countsAll
      ? []
      : [
          `SELECT ticker, ${noLife}, 0 AS stored, ${bounds}, ${noSpans} FROM snapshots WHERE ${unrecorded} AND ${received} GROUP BY ticker`,
        ]),
  ];
  return { sql: parts.join('\nUNION ALL\n'), params };
};

const noLife = 'false AS has_life, NULL AS open_us, NULL AS close_us';
const spans = 'groupArray((layer, start_us, end_us, tolerance_us, end_reason)) AS spans';
const noSpans = '[] AS spans';
