import { listOf, textOf } from '../../sources/record-fields.js';
import { unreadCell } from '../../sources/cells.js';
import { columnCells } from '../../sources/column-cells.js';
import { isObject, type JsonObject, type TypedColumn, type TypedRows } from '../../sources/source.js';
import { parseObject } from '../../sources/json-lines.js';
import type { HourlyBooks, HourlyCells, HourlyRow } from '../venue.js';

/**
 * Tables of the public archive of order books, one a UTC hour: `polymarket_orderbook_2026-08-10T12.parquet`. A row is a
 * message about one token. Version 2 has a column for each value, version 1 has the message as JSON.
 */
export const polymarketHours: HourlyBooks = {
  name: 'Polymarket hours',
  is: (columns) => layoutOf(columns) !== null,
  placeColumns: (columns) => (layoutOf(columns) === 1 ? columnsOf1 : placesOf2),
  rowColumns: (columns) => (layoutOf(columns) === 1 ? columnsOf1 : columnsOf2),
  read: (record) => ('update_type' in record ? rowOf1(record) : rowOf2(record)),
  cells: (block) => cellsOf(block),
};

const columnsOf1 = ['timestamp_received', 'timestamp_created_at', 'market_id', 'update_type', 'data'] as const;
const placesOf2 = ['timestamp_received', 'market', 'asset_id', 'event_type'] as const;
const columnsOf2 = [
  ...placesOf2,
  'timestamp',
  'bids',
  'asks',
  'price',
  'size',
  'side',
  'best_bid',
  'best_ask',
  'transaction_hash',
  'old_tick_size',
  'new_tick_size',
] as const;

const layoutOf = (columns: readonly string[]): 1 | 2 | null => {
  const has = (names: readonly string[]): boolean => names.every((name) => columns.includes(name));
  if (has([...placesOf2, 'price', 'size'])) return 2;
  return has(['timestamp_received', 'market_id', 'update_type', 'data']) ? 1 : null;
};

const rowOf2 = (record: JsonObject): HourlyRow => {
  const { timestamp_received: received, timestamp: sent, event_type: kind } = record;
  const [market, token] = [textOf(record['market']) ?? '', textOf(record['asset_id']) ?? ''];
  return { received, sent, market, token, ...kindOf(kind), message: () => messageOf(kind, { market, token }, record) };
};

/** The message is JSON in which `token_id` and `change_…` stand for the names of version 2. */
const rowOf1 = (record: JsonObject): HourlyRow => {
  const parsed = typeof record['data'] === 'string' ? parseObject(record['data']) : record['data'];
  const data = isObject(parsed) ? parsed : {};
  const market = textOf(record['market_id']) ?? textOf(data['market_id']) ?? '';
  const token = textOf(data['token_id']) ?? textOf(data['asset_id']) ?? '';
  const kind = record['update_type'] === 'book_snapshot' ? 'book' : record['update_type'];
  const change = (key: 'price' | 'size' | 'side'): unknown => data[`change_${key}`] ?? data[key];
  const values = { ...data, price: change('price'), size: change('size'), side: change('side') };
  return {
    received: record['timestamp_received'],
    sent: record['timestamp_created_at'] ?? data['timestamp'],
    market,
    token,
    ...kindOf(kind),
    message: () => messageOf(kind, { market, token }, values),
  };
};

const millionths = { pointLeft: 0, decimals: 6, floatNoise: false, places: 6 } as const;
const milliseconds = { declared: { unit: 'ms', hasZone: true } } as const;
const textColumn = 0;

/** Of version 2, if its times are milliseconds and each other column has one value a row. */
const cellsOf = ({ count, line, columns }: TypedRows): HourlyCells | null => {
  const named = (name: string): TypedColumn => columns.get(name) ?? { values: [] };
  const [received, market, token, kind] = placesOf2.map(named);
  if (!received || !market || !token || !kind || !columns.has('asset_id') || !isTimes(received)) return null;
  const cells = (column: TypedColumn) => columnCells({ count, columns: [column], textOf: String });
  const decimals = (name: string): Float64Array => cells(named(name)).decimals(textColumn, millionths);
  return {
    count,
    line,
    market: textsOf(market),
    token: textsOf(token),
    kind: textsOf(kind),
    received: cells(received).times(textColumn, milliseconds),
    book: 'book',
    change: 'price_change',
    changes: () => ({
      sent: isTimes(named('timestamp')) ? cells(named('timestamp')).times(textColumn, milliseconds) : unread(count),
      price: decimals('price'),
      size: decimals('size'),
      side: textsOf(named('side')),
      bestBid: decimals('best_bid'),
      bestAsk: decimals('best_ask'),
    }),
  };
};

/** The values of such a column are integers of its unit. */
const isTimes = ({ time }: TypedColumn): boolean => time?.unit === 'ms';

const unread = (count: number): Float64Array => new Float64Array(count).fill(unreadCell);

const textsOf = (column: TypedColumn): ((row: number) => unknown) => {
  const { coded } = column;
  if (coded) return (row) => coded.dictionary[coded.codes[row] ?? -1] ?? null;
  const { values } = column;
  return (row) => values[row] ?? null;
};

const kindOf = (kind: unknown): Pick<HourlyRow, 'isBook' | 'isChange'> => ({
  isBook: kind === 'book',
  isChange: kind === 'price_change',
});

/** The message of the venue's websocket that the row was. */
const messageOf = (
  kind: unknown,
  { market, token }: { market: string; token: string },
  row: JsonObject,
): JsonObject => {
  const head = { event_type: kind, market, asset_id: token };
  if (kind === 'book') return { ...head, bids: levelsIn(row['bids']), asks: levelsIn(row['asks']) };
  if (kind !== 'price_change') return { ...row, ...head };
  const { price, size, side, best_bid: bid, best_ask: ask } = row;
  const tops = { ...(isGiven(bid) && { best_bid: bid }), ...(isGiven(ask) && { best_ask: ask }) };
  return { ...head, price_changes: [{ asset_id: token, price, size, side, ...tops }] };
};

const isGiven = (value: unknown): boolean => value !== null && value !== undefined;

/** `[["0.52","7"]]`. A side that is null is not a side without orders. */
const levelsIn = (value: unknown): unknown =>
  listOf(value)?.map((level: unknown) =>
    Array.isArray(level) ? { price: textOf(level[0]), size: textOf(level[1]) } : level,
  ) ?? null;
