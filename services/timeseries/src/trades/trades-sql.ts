/**
 * SQL that returns trades as JSON, CSV, JSON lines, Parquet or Arrow. ClickHouse writes all bytes. Trades of a market are not
 * stored in the order of time, so every read sorts them, on disk if they are many.
 */
import type { BinaryForm, NumberType, TradeOrder } from '@almanac/contracts';
import { streamedFormat } from '../rows/binary-format.js';
import { castsOf, lineEnd, marketColumns, ofMarket, templateOf, type TextForm } from '../rows/form-sql.js';
import { formatOf } from '../rows/rows-sql.js';

const names = ['ts', 'venue_ts', 'trade_id', 'price', 'size', 'taker_side'] as const;

export interface TradeSelection {
  readonly order: TradeOrder;
  /** Whether the read begins after a position (params after_us and after_id). */
  readonly isAfter: boolean;
  /** Whether it ends with a position (params last_us and last_id). */
  readonly isUntil?: boolean;
}

const positionOf = (name: string): string =>
  `(fromUnixTimestamp64Micro({${name}_us:Int64}, 'UTC'), {${name}_id:String})`;

const inSelection = ({ order, isAfter, isUntil = false }: TradeSelection): string => {
  const [later, upTo] = order === 'asc' ? ['>', '<='] : ['<', '>='];
  const conditions = [
    'ticker = {ticker:String}',
    `ts >= fromUnixTimestamp64Micro({start_us:Int64}, 'UTC') AND ts < fromUnixTimestamp64Micro({end_us:Int64}, 'UTC')`,
    ...(isAfter ? [`(ts, trade_id) ${later} ${positionOf('after')}`] : []),
    ...(isUntil ? [`(ts, trade_id) ${upTo} ${positionOf('last')}`] : []),
  ];
  return conditions.join(' AND ');
};

/** The trades of a window by time, then by id. Params: ticker, start_us, end_us. */
const selected = (selection: TradeSelection, limit: string): string => {
  const direction = selection.order === 'asc' ? 'ASC' : 'DESC';
  return `SELECT ${names.join(', ')} FROM trades FINAL WHERE ${inSelection(selection)}
  ORDER BY ts ${direction}, trade_id ${direction}${limit}`;
};

/** The number of trades, up to this one. Nothing is sorted. */
export const countedTradesSql = (selection: TradeSelection, rowsMax: number): string =>
  `SELECT count() AS n FROM (SELECT ts FROM trades FINAL WHERE ${inSelection(selection)} LIMIT ${rowsMax})
SETTINGS max_threads = 1`;

const pageLimit = ' LIMIT {limit:UInt32}';

const columnsIn = (numbers: NumberType): string => {
  const cast = castsOf(numbers);
  return `toDecimal64(ts, 6) AS ts, toDecimal64(venue_ts, 6) AS venue_ts, trade_id, ${cast('price')} AS price,
  ${cast('size')} AS size, taker_side`;
};

const jsonRow = names.map((name) => `"${name}":\${${name}:JSON}`).join(',');

/** A page as a JSON array, and the number of trades before the limit. Params also: limit. */
export const tradePageSql = (selection: TradeSelection): string =>
  `SELECT ${columnsIn('decimal')}, if(rowNumberInAllBlocks() = 0, '[', '') AS lead
FROM (${selected(selection, pageLimit)})
${formatOf(jsonRow, 'rows_before_limit')}`;

/** The trades of a page, up to one more than the limit: their number, and the position of the last within the limit. */
export const pageEndSql = (selection: TradeSelection): string => `SELECT length(positions) AS found,
  toUnixTimestamp64Micro(tupleElement(positions[least(found, {limit:UInt32})], 1)) AS last_us,
  tupleElement(positions[least(found, {limit:UInt32})], 2) AS last_id
FROM (
  SELECT groupArray((ts, trade_id)) AS positions FROM (${selected(selection, ' LIMIT {limit:UInt32} + 1')})
)
SETTINGS max_threads = 1`;

const csvColumns = [...marketColumns, ...names];

export const tradeHeaderOf = (form: TextForm): string =>
  form === 'csv' ? `${csvColumns.map((name) => `"${name}"`).join(',')}\r\n` : '';

const textRow = { csv: csvColumns.map((name) => `\${${name}:CSV}`).join(','), ndjson: `{${jsonRow}}` } as const;

/** A second sort is not needed: one thread passes the rows on in order. Params for CSV also: those of the market. */
const sortSettings = 'max_threads = 1, max_bytes_before_external_sort = 134217728';

/** Trades as text without a header. The last line is `<mark> <rows>`. `limit` as in a page. */
export const tradeTextSql = (
  form: TextForm,
  { selection, numbers, mark }: { selection: TradeSelection; numbers: NumberType; mark: string },
): string => `SELECT ${form === 'csv' ? `${ofMarket}, ` : ''}${columnsIn(numbers)}
FROM (${selected(selection, '')})
${templateOf(form, {
  row: textRow[form],
  resultSet: `\${data}${lineEnd[form]}${mark} \${rows:JSON}`,
  threads: 1,
})}, ${sortSettings}`;

/** Trades as Parquet or Arrow. */
export const tradeBinarySql = (form: BinaryForm, selection: TradeSelection, numbers: NumberType): string => {
  const cast = castsOf(numbers);
  return `SELECT ${ofMarket}, ts, venue_ts, trade_id, ${cast('price')} AS price, ${cast('size')} AS size,
  CAST(taker_side AS Nullable(String)) AS taker_side
FROM (${selected(selection, '')})
${streamedFormat[form]}, ${sortSettings}`;
};
