import type { ClickHouseSettings } from '@almanac/clickhouse';
import { type ExportFormatId, type ExportQuery, isEngineFormat, tablesOf } from '@almanac/contracts';
import { engineFile, engineRowTimes } from '../engine-formats/engine-sql.js';
import { type FileColumn, fileColumns, marketColumns } from './file-columns.js';
import { type FileQuery, marketsWhere, type Selection, selectionOf } from './file-selection.js';
import { emptyRows, hasRows, rowOrder, rowSources, rowsOfSource, storedRows } from './row-columns.js';

export interface FileSql {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly settings: ClickHouseSettings;
}

export type Statement = Omit<FileSql, 'settings'>;

/**
 * All rows of a file in one statement, ordered by market and time.
 *
 * It keeps only the market columns in memory. Observations are read in table order, and each looks up its market in a
 * constant array. A join would be shorter, but ClickHouse sorts its output (seen in 26.7), and 10 M rows would be
 * sorted on disk.
 */
export const fileSql = (exportQuery: FileQuery, options: FileOptions): FileSql =>
  sqlOf(exportQuery, { ...options, limit: '' });

export interface FileOptions {
  /** The time that decides which markets are live, integer microseconds. */
  readonly nowUs: number;
  /** Whether to add a row per market without observations. Finding them takes a quarter of a small file's time. */
  readonly withEmpty: boolean;
  /** The time of the last row, integer microseconds. Without it, the file has all rows. */
  readonly untilUs?: number;
}

/** About this many rows of a file, whichever come first: enough to estimate its size. */
export const sampleSql = (exportQuery: FileQuery, nowUs: number, rows: number): FileSql =>
  sqlOf(exportQuery, { nowUs, withEmpty: true, limit: ` LIMIT ${rows}` });

interface QueryOptions extends FileOptions {
  /** Applied to each source table before the sort, and to the result. */
  readonly limit: string;
}

const sqlOf = (exportQuery: FileQuery, { nowUs, withEmpty, untilUs, limit }: QueryOptions): FileSql => {
  const selection = upTo(untilUs, selectionOf(exportQuery));
  const isOfEngine = isEngineFormat(exportQuery.format);
  const sql = isOfEngine
    ? engineFile(exportQuery, selection)
    : hasRows(exportQuery)
      ? observationRows(exportQuery, selection, { withEmpty, limit })
      : marketRows(exportQuery, selection.markets, limit);
  const format = formats[exportQuery.format];
  // Only observations are stored in the order of time. Many other rows are sorted on disk. So are the rows of engines.
  const isSorted = isOfEngine || tablesOf(exportQuery.streams).some((table) => table !== 'snapshots');
  const sorting = isSorted ? { max_bytes_before_external_sort: '268435456' } : {};
  const { name } = format;
  const settings = { ...format.settings, ...sorting };
  return { sql: `${sql}${limit}\nFORMAT ${name}`, params: { ...selection.params, now_us: nowUs }, settings };
};

const upTo = (untilUs: number | undefined, selection: Selection): Selection => {
  if (untilUs === undefined) return selection;
  const isInTime = "ts <= fromUnixTimestamp64Micro({until_us:Int64}, 'UTC')";
  const observations = `${selection.observations} AND ${isInTime}`;
  const trades = `${selection.trades} AND ${isInTime}`;
  return { ...selection, observations, trades, params: { ...selection.params, until_us: untilUs } };
};

const selected = (columns: readonly FileColumn[]): string =>
  columns.map(({ name, expression }) => `${expression} AS ${name}`).join(',\n  ');

const marketRows = (exportQuery: ExportQuery, where: string, limit: string): string => {
  const columns = marketColumns(exportQuery).map(({ name, expression }) => `${expression} AS ${name}_`);
  return `SELECT ${selected(fileColumns(exportQuery))}
FROM (SELECT ticker AS market, ${columns.join(', ')} FROM ${marketsWhere(exportQuery, where)}${limit})
ORDER BY market`;
};

const observationRows = (
  exportQuery: ExportQuery,
  selection: Selection,
  { withEmpty, limit }: Pick<QueryOptions, 'withEmpty' | 'limit'>,
): string => {
  const { markets } = selection;
  const sources = rowSources(exportQuery, selection);
  const facts = marketColumns(exportQuery).map(({ expression }) => expression);
  const rows = sources.map((source) => `${rowsOfSource(exportQuery, source)}${limit}`);
  const empty = withEmpty ? [`${emptyRows(exportQuery, marketsWhere(exportQuery, markets), sources)}${limit}`] : [];
  return `WITH
  (SELECT groupArray(fact) FROM (
    SELECT tuple(ticker, ${facts.join(', ')}) AS fact
    FROM ${marketsWhere(exportQuery, markets)} ORDER BY ticker)) AS facts,
  arrayMap(one -> tupleElement(one, 1), facts) AS tickers,
  facts[transform(market, tickers, range(1, length(tickers) + 1), 0)] AS fact
SELECT ${selected(fileColumns(exportQuery))}
FROM (
  ${[...rows, ...empty].join('\n  UNION ALL\n  ')})
ORDER BY ${rowOrder(exportQuery)}`;
};

/** The markets and rows of a file before it is made. */
export const countSql = (exportQuery: FileQuery): Statement => {
  const selection = selectionOf(exportQuery);
  const { markets, params } = selection;
  const marketsOfFile = `SELECT ticker FROM ${marketsWhere(exportQuery, markets)}`;
  if (!hasRows(exportQuery))
    return { sql: `SELECT count() AS markets, count() AS rows FROM (${marketsOfFile})`, params };
  const counted = rowsBy(exportQuery, selection, 'ticker');
  const rows = isEngineFormat(exportQuery.format) ? 'stored' : 'greatest(stored, 1)';
  const sql = `SELECT count() AS markets, sum(${rows}) AS rows FROM (${marketsOfFile}) AS of_file
LEFT JOIN (${counted}) AS observed USING (ticker)`;
  return { sql, params };
};

/** The rows of each day of a range that has any. */
export const rowsOfDaysSql = (exportQuery: FileQuery): Statement => {
  const selection = selectionOf(exportQuery);
  const counts = rowsBy(exportQuery, selection, 'day');
  return { sql: `SELECT day, stored AS rows FROM (${counts})`, params: selection.params };
};

/** The number of rows of each market or each UTC day, as the column `stored`. */
const rowsBy = (exportQuery: FileQuery, selection: Selection, by: 'ticker' | 'day'): string =>
  isEngineFormat(exportQuery.format)
    ? `SELECT ${by === 'day' ? 'toString(toDate(ts)) AS day' : by}, count() AS stored
  FROM (${engineRowTimes(exportQuery, selection)}) GROUP BY ${by}`
    : storedRows(rowSources(exportQuery, selection), by);

/** The number of rows in an array file, and the time of the last one in microseconds. */
export const arraySizeSql = (exportQuery: FileQuery): Statement => {
  const selection = selectionOf(exportQuery);
  const rows = engineRowTimes(exportQuery, selection);
  return {
    sql: `SELECT count() AS rows, toUnixTimestamp64Micro(max(ts)) AS until_us FROM (${rows})`,
    params: selection.params,
  };
};

const json: ClickHouseSettings = {
  output_format_json_quote_decimals: 0,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_escape_forward_slashes: 0,
};

/** How ClickHouse writes each format. In CSV, lines end with CR LF (RFC 4180) and null is an empty field. */
const formats: Readonly<Record<ExportFormatId, { name: string; settings: ClickHouseSettings }>> = {
  csv: {
    name: 'CSVWithNames',
    settings: { ...json, format_csv_null_representation: '', output_format_csv_crlf_end_of_line: 1 },
  },
  json: { name: 'JSONEachRow', settings: { ...json, output_format_json_array_of_rows: 1 } },
  // Level 3 makes the file 3 % larger than the usual 6, but takes 1.3 s for a million rows instead of 7 s or more.
  'jsonl.gz': { name: 'JSONEachRow', settings: { ...json, http_zlib_compression_level: '3' } },
  hftbacktest: { name: 'RowBinary', settings: {} },
  tardis_csv: { name: 'CSVWithNames', settings: json },
  parquet: { name: 'Parquet', settings: { output_format_parquet_compression_method: 'zstd' } },
};
