import { type ExportQuery, type ExportStream, sizeColumns, tablesOf } from '@almanac/contracts';

/** A table whose rows are in a file, and the condition on it. */
export interface RowSource {
  readonly table: ReturnType<typeof tablesOf>[number];
  readonly where: string;
}

/** A column of the rows before they are formatted: its expression in each table, and its value where it has none. */
interface RowColumn {
  readonly name: string;
  readonly snapshots?: string;
  readonly trades?: string;
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
}

export const rowSources = ({ streams }: ExportQuery, { observations, trades }: RowConditions): readonly RowSource[] =>
  tablesOf(streams).map((table) => ({ table, where: table === 'snapshots' ? observations : trades }));

const quoteColumns = ['seq', 'yes_best_bid', 'yes_best_ask', 'coin_price'] as const;

/** The columns between the time of a row and the columns of its market, by the streams of the file. */
export const rowColumns = ({ streams }: ExportQuery): readonly RowColumn[] => [
  ...(isObserved(streams) ? ofObservations(quoteColumns) : []),
  ...(streams.includes('sizes') ? ofObservations(sizeColumns) : []),
  ...(streams.includes('l2') ? bookColumns : []),
  ...(streams.includes('trades') ? tradeColumns : []),
];

const ofObservations = (names: readonly string[]): readonly RowColumn[] =>
  names.map((name) => ({ name, snapshots: name, absent: 'NULL' }));

const bookColumns: readonly RowColumn[] = [
  { name: 'has_book', snapshots: 'has_book', absent: 'false' },
  { name: 'book_yes', snapshots: 'orderbook_yes', absent: '[]' },
  { name: 'book_no', snapshots: 'orderbook_no', absent: '[]' },
];

/** Nullable, so that a file has the same types whether or not it has a row without a trade. */
const tradeColumns: readonly RowColumn[] = ['trade_id', 'price', 'size', 'taker_side'].map((name) => ({
  name,
  trades: name === 'taker_side' ? 'CAST(taker_side AS Nullable(String))' : `toNullable(${name})`,
  absent: 'NULL',
}));

/** The rows of a table as `market`, `at`, `is_row`, `venue_at` and the row columns. */
export const rowsOfSource = (exportQuery: ExportQuery, { table, where }: RowSource): string => {
  const columns = rowColumns(exportQuery).map((column) => `${column[table] ?? column.absent} AS ${column.name}`);
  return `SELECT ${['ticker AS market', 'ts AS at', 'true AS is_row', 'venue_ts AS venue_at', ...columns].join(', ')}
  FROM ${table} FINAL WHERE ${where}`;
};

/** A row for each market without any row of the file. `markets` follows FROM. */
export const emptyRows = (exportQuery: ExportQuery, markets: string, sources: readonly RowSource[]): string => {
  const columns = rowColumns(exportQuery).map(({ name, absent }) => `${absent} AS ${name}`);
  const begin = ['ticker AS market', "toDateTime64(0, 6, 'UTC') AS at", 'false AS is_row', 'NULL AS venue_at'];
  const without = sources.map(({ table, where }) => `ticker NOT IN (SELECT ticker FROM ${table} WHERE ${where})`);
  return `SELECT ${[...begin, ...columns].join(', ')}
  FROM ${[markets, ...without].join(' AND ')}`;
};

/** Observations before trades of the same microsecond, and trades by their id, so that equal files have equal bytes. */
export const rowOrder = ({ streams }: ExportQuery): string =>
  streams.includes('trades') ? `market, at, ifNull(trade_id, '')` : 'market, at';

/** The number of rows by an expression, such as `ticker`, as the column `stored`. */
export const storedRows = (sources: readonly RowSource[], by: string, name: string): string => {
  const counts = sources.map(
    ({ table, where }) =>
      `SELECT ${by} AS ${name}, count() AS stored FROM ${table} FINAL WHERE ${where} GROUP BY ${name}`,
  );
  const [only] = counts;
  if (only !== undefined && counts.length === 1) return only;
  return `SELECT ${name}, sum(stored) AS stored FROM (${counts.join(' UNION ALL ')}) GROUP BY ${name}`;
};
