import { rowTimes } from '@almanac/clickhouse';
import {
  type ExportQuery,
  type ExportStream,
  fieldKinds,
  type ObservationField,
  type RowTable,
  sizeFields,
  tablesOf,
  usualFields,
  venueCandlePrices,
  venueCandleSizes,
} from '@almanac/contracts';

/** A table whose rows are in a file, and the condition on it. */
export interface RowSource {
  readonly table: RowTable;
  readonly where: string;
}

export type ColumnType = 'text' | 'whole' | 'number' | 'time' | 'levels';

/** A column of the rows before they are formatted: its expression in each table, and its value where it has none. */
export interface RowColumn extends Partial<Readonly<Record<RowTable, string>>> {
  readonly name: string;
  /** Null for a column that is not in the file. */
  readonly type: ColumnType | null;
  readonly absent: string;
}

const isObserved = (streams: readonly ExportStream[]): boolean => tablesOf(streams).includes('snapshots');

/** Settlement alone has one row per market. */
export const hasRows = ({ streams }: ExportQuery): boolean => tablesOf(streams).length > 0;

export interface RowConditions {
  /** On `snapshots`. */
  readonly observations: string;
  /** On `trades`: only those of markets in the file. */
  readonly trades: string;
  /** On `venue_candles`: likewise. */
  readonly candles: string;
}

export const rowSources = (
  { streams }: ExportQuery,
  { observations, trades, candles }: RowConditions,
): readonly RowSource[] => {
  const conditions: Readonly<Record<RowTable, string>> = { snapshots: observations, trades, venue_candles: candles };
  return tablesOf(streams).map((table) => ({ table, where: conditions[table] }));
};

const columnTypes = { whole: 'whole', decimal: 'number', time: 'time' } as const;

const ofObservations = (names: readonly ObservationField[]): readonly RowColumn[] =>
  names.map((name) => ({ name, type: columnTypes[fieldKinds[name]], snapshots: name, absent: 'NULL' }));

/** Each table has a time of the venue, so it is a column of every file. */
const quoteColumns = ofObservations(usualFields.filter((name) => name !== 'venue_ts'));

const bookColumns: readonly RowColumn[] = [
  { name: 'has_book', type: null, snapshots: 'has_book', absent: 'false' },
  { name: 'orderbook_yes', type: 'levels', snapshots: 'orderbook_yes', absent: '[]' },
  { name: 'orderbook_no', type: 'levels', snapshots: 'orderbook_no', absent: '[]' },
];

/** Nullable, so that a file has the same types whether or not it has a row of another table. */
const nullable = (table: RowTable, type: ColumnType, name: string, stored = name): RowColumn => ({
  name,
  type,
  [table]: type === 'text' ? `CAST(${stored} AS Nullable(String))` : `toNullable(${stored})`,
  absent: 'NULL',
});

const tradeColumns: readonly RowColumn[] = [
  nullable('trades', 'text', 'trade_id'),
  nullable('trades', 'number', 'price'),
  nullable('trades', 'number', 'size'),
  nullable('trades', 'text', 'taker_side'),
];

/** With the names of the answer to GET /markets/{ticker}/candles. */
const candleColumns: readonly RowColumn[] = [
  nullable('venue_candles', 'text', 'venue', 'source'),
  nullable('venue_candles', 'whole', 'venue_period_s', 'period_s'),
  nullable('venue_candles', 'time', 'start_ts'),
  nullable('venue_candles', 'time', 'end_ts'),
  ...[...venueCandlePrices, ...venueCandleSizes].map((name) => nullable('venue_candles', 'number', name)),
];

/** The columns between the time of a row and the columns of its market, by the streams of the file. */
export const rowColumns = ({ streams }: ExportQuery): readonly RowColumn[] => [
  ...(isObserved(streams) ? quoteColumns : []),
  ...(streams.includes('sizes') ? ofObservations(sizeFields) : []),
  ...(streams.includes('l2') ? bookColumns : []),
  ...(streams.includes('trades') ? tradeColumns : []),
  ...(streams.includes('candles') ? candleColumns : []),
];

/** When the venue says that it was. Only a candle has no such time. */
const venueTimes: Readonly<Record<RowTable, string>> = {
  snapshots: 'venue_ts',
  trades: 'venue_ts',
  venue_candles: "CAST(NULL AS Nullable(DateTime64(6, 'UTC')))",
};

/** The rows of a table as `market`, `at`, `is_row`, `venue_at` and the row columns. */
export const rowsOfSource = (exportQuery: ExportQuery, { table, where }: RowSource): string => {
  const columns = rowColumns(exportQuery).map((column) => `${column[table] ?? column.absent} AS ${rowName(column)}`);
  const begin = [
    'ticker AS market',
    `${rowTimes[table].known} AS at`,
    'true AS is_row',
    `${venueTimes[table]} AS venue_at`,
  ];
  return `SELECT ${[...begin, ...columns].join(', ')}
  FROM ${table} FINAL WHERE ${where}`;
};

/** The name of a row column before it is formatted. With the one of the stored column, a condition could mean either. */
export const rowName = ({ name }: Pick<RowColumn, 'name'>): string => `row_${name}`;

/** A row for each market without any row of the file. `markets` follows FROM. */
export const emptyRows = (exportQuery: ExportQuery, markets: string, sources: readonly RowSource[]): string => {
  const columns = rowColumns(exportQuery).map((column) => `${column.absent} AS ${rowName(column)}`);
  const begin = ['ticker AS market', "toDateTime64(0, 6, 'UTC') AS at", 'false AS is_row', 'NULL AS venue_at'];
  const without = sources.map(({ table, where }) => `ticker NOT IN (SELECT ticker FROM ${table} WHERE ${where})`);
  return `SELECT ${[...begin, ...columns].join(', ')}
  FROM ${[markets, ...without].join(' AND ')}`;
};

/**
 * Observations before trades of the same microsecond, and candles last. Trades by their id and candles by their period
 * and venue, so that equal files have equal bytes.
 */
export const rowOrder = ({ streams }: ExportQuery): string =>
  [
    'market',
    'at',
    ...(streams.includes('candles') ? ['ifNull(row_venue_period_s, 0)', "ifNull(row_venue, '')"] : []),
    ...(streams.includes('trades') ? ["ifNull(row_trade_id, '')"] : []),
  ].join(', ');

/** The number of rows of each market or each UTC day, as the column `stored`. */
export const storedRows = (sources: readonly RowSource[], by: 'ticker' | 'day'): string => {
  const counts = sources.map(({ table, where }) => {
    const value = by === 'day' ? `toString(toDate(${rowTimes[table].day})) AS day` : by;
    return `SELECT ${value}, count() AS stored FROM ${table} FINAL WHERE ${where} GROUP BY ${by}`;
  });
  const [only] = counts;
  if (only !== undefined && counts.length === 1) return only;
  return `SELECT ${by}, sum(stored) AS stored FROM (${counts.join(' UNION ALL ')}) GROUP BY ${by}`;
};
