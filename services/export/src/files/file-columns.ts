import type { ExportFormatId, ExportQuery, NumberType } from '@almanac/contracts';
import { type ColumnType, hasRows, type RowColumn, rowColumns, rowName } from './row-columns.js';

export interface FileColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly expression: string;
}

/** The columns of a file that has a table, in their order, and their expressions in the statement that writes it. */
export const fileColumns = (exportQuery: ExportQuery): readonly FileColumn[] => {
  const ticker: FileColumn = { name: 'ticker', type: 'text', expression: textIn(exportQuery, 'market') };
  const market = marketColumns(exportQuery);
  if (!hasRows(exportQuery)) return [ticker, ...market.map((column) => ({ ...column, expression: `${column.name}_` }))];
  // The first element of a fact is the ticker.
  const ofMarket = market.map((column, index) => ({ ...column, expression: `tupleElement(fact, ${index + 2})` }));
  const time = (name: string, expression: string): FileColumn => ({
    name,
    type: 'time',
    expression: timeIn(exportQuery.format, expression),
  });
  return [
    ticker,
    ...ofMarket.slice(0, namesOfMarket),
    time('ts', "if(is_row, at, CAST(NULL AS Nullable(DateTime64(6, 'UTC'))))"),
    time('venue_ts', 'venue_at'),
    ...rowColumns(exportQuery).flatMap((column) => shownColumn(exportQuery, column)),
    ...ofMarket.slice(namesOfMarket),
  ];
};

const shownColumn = (exportQuery: ExportQuery, column: RowColumn): FileColumn[] => {
  const { name, type } = column;
  if (type === null) return [];
  return [{ name, type, expression: valueIn(exportQuery, type, rowName(column)) }];
};

const valueIn = (exportQuery: ExportQuery, type: ColumnType, value: string): string => {
  if (type === 'levels') return bookColumn(exportQuery, value);
  if (type === 'time') return timeIn(exportQuery.format, value);
  if (type === 'text') return textIn(exportQuery, value);
  return type === 'number' ? numberIn(exportQuery.numbers, value) : value;
};

/** Seconds as an exact decimal: a double could show rounding noise. Parquet has a timestamp type. */
const timeIn = (format: ExportFormatId, timestamp: string): string =>
  format === 'parquet' ? timestamp : `toDecimal64(${timestamp}, 6)`;

const microsIn = (format: ExportFormatId, column: string): string =>
  timeIn(format, `fromUnixTimestamp64Micro(${column}, 'UTC')`);

/** The same rule as `statusOf` of the contracts, at the time of the request. */
const status = `multiIf(
    close_us IS NULL AND coalesce(venue_status, '') IN ('open', 'active'), 'live',
    close_us IS NOT NULL AND {now_us:Int64} < coalesce(close_us, 0), 'live',
    result IS NOT NULL OR settlement_us IS NOT NULL, 'finalized',
    'closed')`;

/** A stored decimal, or the nearest 64-bit float. */
const numberIn = (numbers: NumberType, column: string): string =>
  numbers === 'decimal' ? column : `toFloat64(${column})`;

/** A text, or in CSV on request with an apostrophe before what a spreadsheet would run as a formula. */
const textIn = ({ csv_formulas }: ExportQuery, text: string): string =>
  csv_formulas === undefined
    ? text
    : `if(left(${text}, 1) IN ('=', '+', '-', '@', '\\t', '\\r'), concat('\\'', ${text}), ${text})`;

/** Event and series, which stand before the rows. */
const namesOfMarket = 2;

/** The columns of a market and their expressions over its row of `markets`. */
export const marketColumns = (exportQuery: ExportQuery): readonly FileColumn[] => {
  const { streams, format, numbers } = exportQuery;
  const text = (name: string, value: string): FileColumn => ({
    name,
    type: 'text',
    expression: textIn(exportQuery, value),
  });
  const time = (name: string, us: string): FileColumn => ({ name, type: 'time', expression: microsIn(format, us) });
  const number = (name: string, value = numberIn(numbers, name)): FileColumn => ({
    name,
    type: 'number',
    expression: value,
  });
  const names = [
    text('event_ticker', "nullIf(toString(event_ticker), '')"),
    text('series', "nullIf(toString(series), '')"),
  ];
  if (!streams.includes('settlement')) return names;
  return [
    ...names,
    { name: 'status', type: 'text', expression: status },
    text('result', 'CAST(result AS Nullable(String))'),
    time('open_ts', 'open_us'),
    time('close_ts', 'close_us'),
    number('floor_strike'),
    text('strike_type', 'CAST(strike_type AS Nullable(String))'),
    number('coin_price_start'),
    // As in `presentMarket` of the contracts: the last price of a live market is not its end yet.
    number('coin_price_end', `if(${status} = 'live', NULL, ${numberIn(numbers, 'coin_price_end')})`),
    number('expiration_value'),
    time('settlement_ts', 'settlement_us'),
  ];
};

/** A list of `[price, size]`. Without a book: null in JSON, empty in CSV, an empty list in Parquet (no null lists). */
const bookColumn = ({ format, numbers }: ExportQuery, column: string): string => {
  const levels = `arrayMap(level -> [${numberIn(numbers, 'level.1')}, ${numberIn(numbers, 'level.2')}], ${column})`;
  if (format === 'parquet') return levels;
  if (format === 'csv') return `if(row_has_book, toJSONString(${levels}), NULL)`;
  const number = numbers === 'decimal' ? 'Decimal(18, 6)' : 'Float64';
  return `CAST(if(row_has_book, ${levels}, NULL) AS Variant(Array(Array(${number}))))`;
};
