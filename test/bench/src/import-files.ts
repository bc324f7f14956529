import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type ClickHouse, stream } from '@almanac/clickhouse';

/** A file that an operator imports. ClickHouse writes it, so ten million rows take seconds. */
export interface ImportFile {
  /** Its ending, by which the importer knows its format. */
  readonly ending: string;
  /** ClickHouse's name of the format. */
  readonly format: string;
  /** The name and type of each column, and the expression of its value from `number`: 0 for the first row. */
  readonly columns: readonly (readonly [name: string, type: string, value: string])[];
  readonly rowsN: number;
  /** Mapping for a file that no built-in format knows. */
  readonly mapping?: string;
}

/** The columns as ClickHouse reads them, without quotes of its own. */
export const structureOf = ({ columns }: ImportFile): string =>
  columns.map(([name, type]) => `${name} ${type}`).join(', ');

/** In one thread, so that rows follow each other by number. */
const settings = { max_threads: 1, output_format_parquet_row_group_size: '1000000' } as const;

export const writeImportFile = async (admin: ClickHouse, path: string, file: ImportFile): Promise<void> => {
  const values = file.columns.map(([name, type, value]) => `CAST(${value} AS ${type}) AS ${name}`);
  const sql = `SELECT ${values.join(', ')} FROM numbers(${file.rowsN}) FORMAT ${file.format}`;
  await pipeline(await stream(admin, { sql, settings }), createWriteStream(path));
};

/** A different number for each row and use, the same in every run. */
const random = (use: number, of = 'number'): string => `cityHash64(${of}, ${use})`;

/** 2026-04-01: in another month, and so another partition, than the archive that is read. */
const firstDayS = 1_775_001_600;
const daySeconds = 86_400;
const quotedMarkets = 448;

/** The day of a recording. No two recordings overlap. */
export const recordedDay = (day: number): { startS: number; endS: number } => {
  const startS = firstDayS + day * daySeconds;
  return { startS, endS: startS + daySeconds };
};

/** Quotes with sizes of a day. Markets take turns, as in a recording of all markets of a venue. */
export const quotesFile = (format: 'CSVWithNames' | 'Parquet', day: number, rowsN: number): ImportFile => {
  const stepMs = Math.floor((daySeconds * 1_000) / Math.ceil(rowsN / quotedMarkets));
  const at = `${recordedDay(day).startS * 1_000} + intDiv(number, ${quotedMarkets}) * ${stepMs}`;
  const bid = `1 + ${random(1)} % 98`;
  return {
    ending: format === 'Parquet' ? 'parquet' : 'csv',
    format,
    columns: [
      ['ticker', 'String', `concat('KXIMPORT-26APR-T', toString(100 + number % ${quotedMarkets}))`],
      ['at', 'Int64', at],
      ['bid', 'Decimal(9, 2)', `toDecimal64(${bid}, 2) / 100`],
      ['ask', 'Decimal(9, 2)', `toDecimal64(${bid} + 1, 2) / 100`],
      ['bid_size', 'Decimal(18, 2)', `toDecimal64(1 + ${random(2)} % 90000, 2) / 100`],
      ['ask_size', 'Decimal(18, 2)', `toDecimal64(1 + ${random(3)} % 90000, 2) / 100`],
    ],
    rowsN,
    mapping: `
name: quotes-of-the-benchmark
format: ${format === 'Parquet' ? 'parquet' : 'csv'}
match: { columns: [ticker, at, bid, ask] }
fields:
  ticker: { column: ticker }
  venue: { constant: kalshi }
  series: { ticker: '^([^-]+)-' }
  ts: { column: at, unit: ms }
  yes_best_bid: { column: bid }
  yes_best_ask: { column: ask }
  yes_best_bid_size: { column: bid_size }
  yes_best_ask_size: { column: ask_size }
`,
  };
};

/** The same rows in the table of quotes, from the columns of the file. */
export const quoteValues = `ticker, splitByChar('-', ticker)[1], fromUnixTimestamp64Milli(at, 'UTC'), bid, ask, bid_size, ask_size`;
export const quoteColumns = 'ticker, series, ts, yes_best_bid, yes_best_ask, yes_best_bid_size, yes_best_ask_size';

const tradedMarkets = 1_000;
export const tradesOf = (round: number): string => `KXTRADED-26APR${10 + round}`;

/** Trades of all markets in the order of their times. Their ids are in no order, like the venue's. */
export const tradesFile = (round: number, rowsN: number): ImportFile => ({
  ending: 'parquet',
  format: 'Parquet',
  columns: [
    ['id', 'String', `toString(UUIDNumToString(reinterpret(sipHash128(number, ${round}), 'FixedString(16)')))`],
    ['ticker', 'String', `concat('${tradesOf(round)}-M', toString(${random(1)} % ${tradedMarkets}))`],
    ['at', 'Int64', `${firstDayS * 1_000} + number * 7`],
    ['price', 'Decimal(9, 2)', `toDecimal64(1 + ${random(2)} % 99, 2) / 100`],
    ['size', 'Decimal(18, 2)', `toDecimal64(1 + ${random(3)} % 90000, 2) / 100`],
    ['side', 'String', `if(${random(4)} % 2 = 0, 'yes', 'no')`],
  ],
  rowsN,
  mapping: `
name: trades-of-the-benchmark
format: parquet
match: { columns: [id, ticker, at, price, size, side] }
fields:
  ticker: { column: ticker }
  venue: { constant: kalshi }
  series: { ticker: '^([^-]+)-' }
  trade_id: { column: id }
  venue_ts: { column: at, unit: ms }
  price: { column: price }
  size: { column: size }
  taker_side: { column: side }
`,
});

export const tradeValues = `ticker, id, splitByChar('-', ticker)[1], fromUnixTimestamp64Milli(at, 'UTC'), price, size, side`;
export const tradeColumns = 'ticker, trade_id, series, venue_ts, price, size, taker_side';

const levels = 30;
const bookMarkets = 200;
export const bookTickers = (round: number): string => `KXBOOK-26APR${10 + round}`;

/** The levels of one side of a whole book, worst first, as `["0.2100","100.00"]`. */
const bookSide = (best: number): string =>
  Array.from({ length: levels }, (_, level) => `["${((best - levels + 1 + level) / 100).toFixed(4)}","100.00"]`).join(
    ',',
  );

/**
 * Frames of Kalshi's feed in an hour, one a line: a whole book of 60 levels of each market, then changes. Few markets have
 * most of them, by 1/rank. Of eight changes, the last four remove what the first four add.
 */
export const framesFile = (round: number, changesN: number): ImportFile => {
  const first = bookMarkets + 1;
  const { startS } = recordedDay(20 + round);
  const stepUs = Math.floor(3_600_000_000 / (changesN + first));
  const us = `(${startS * 1_000_000} + number * ${stepUs})`;
  const change = `(number - ${first})`;
  const drawn = `intDiv(${change}, 8) * 4 + ${change} % 4`;
  const ranked = `toUInt64(floor(pow(${bookMarkets}, ${random(1, drawn)} % 1000000 / 1000000))) - 1`;
  const market = `if(number < ${first}, number - 1, ${ranked})`;
  const ids = `'"market_ticker":"${bookTickers(round)}-B', toString(1000 + ${market}), '","market_id":"00000000-0000-4000-8000-', leftPad(toString(${market}), 12, '0'), '"'`;
  const seq = `',"sid":1,"seq":', toString(number), ',"msg":{', ${ids}`;
  const side = `${random(2, drawn)} % 2`;
  const price = `leftPad(toString((if(${side} = 0, 50, 48) - ${random(3, drawn)} % ${levels}) * 100), 4, '0')`;
  const size = `toString(1 + ${random(4, drawn)} % 900), '.25'`;
  const time = `formatDateTime(fromUnixTimestamp64Micro(toInt64(${us} - 9000), 'UTC'), '%Y-%m-%dT%H:%i:%S.%fZ')`;
  const subscribed = `'{"type":"subscribed","id":1,"msg":{"channel":"orderbook_delta","sid":1}}'`;
  const book = `concat('{"type":"orderbook_snapshot"', ${seq}, ',"yes_dollars_fp":[${bookSide(50)}],"no_dollars_fp":[${bookSide(48)}]}}')`;
  const delta = `concat('{"type":"orderbook_delta"', ${seq}, ',"price_dollars":"0.', ${price}, '","delta_fp":"', if(${change} % 8 < 4, '', '-'), ${size}, '","side":"', if(${side} = 0, 'yes', 'no'), '","ts":"', ${time}, '"}}')`;
  const frame = `multiIf(number = 0, ${subscribed}, number < ${first}, ${book}, ${delta})`;
  const line = `concat('{"recv_ts_ns": ', toString(${us}), '000, "raw": ', toJSONString(concat(${frame}, '\\n')), '}')`;
  return { ending: 'jsonl', format: 'TSVRaw', columns: [['line', 'String', line]], rowsN: changesN + first };
};

/** Each market has a change about twice a second, in a file of any size. */
const hourMarkets = (rowsN: number): number => Math.ceil(rowsN / 14_286);
const hourDay = 25;
/** The name by which the importer knows the layout. */
export const hourName = `polymarket_orderbook_${new Date(recordedDay(hourDay).startS * 1_000).toISOString().slice(0, 13)}.parquet`;
const conditionOf = (market: string): string => `concat('0x', leftPad(toString(${market}), 64, '0'))`;
const tokenOf = (token: string): string => `toString(100000000 + ${token})`;
export const hourMarket = 'hour-of-the-benchmark';

/** An hour of books of 60 levels in the hourly layout of Polymarket: both tokens of a market, one after the other. */
export const hourFile = (rowsN: number): ImportFile => {
  const each = Math.ceil(rowsN / hourMarkets(rowsN) / 2);
  const [token, change] = [`intDiv(number, ${each})`, `number % ${each}`];
  const market = `intDiv(${token}, 2)`;
  const isYes = `${token} % 2 = 0`;
  const drawn = `${market} * ${each} + ${change}`;
  const isBid = `${random(1, drawn)} % 2 = 0`;
  const level = `${random(2, drawn)} % ${levels}`;
  const yesPrice = `if(${isBid}, 50 - ${level}, 52 + ${level})`;
  const ms = `intDiv(${change} * 3590000, ${each}) + ${token} % 2`;
  const received = `fromUnixTimestamp64Milli(toInt64(${recordedDay(hourDay).startS * 1_000} + ${ms}), 'UTC')`;
  const side = (from: number, by: 1 | -1): string =>
    `'[${Array.from({ length: levels }, (_, one) => `["${((from + one * by) / 100).toFixed(2)}","100.00"]`).join(',')}]'`;
  const ofBook = (value: string): string => `if(${change} = 0, ${value}, NULL)`;
  const ofChange = (value: string): string => `if(${change} = 0, NULL, ${value})`;
  const cents = (yes: number, no: number): string => `toDecimal64(if(${isYes}, ${yes}, ${no}), 4) / 100`;
  return {
    ending: 'parquet',
    format: 'Parquet',
    columns: [
      ['timestamp_received', "DateTime64(3, 'UTC')", received],
      ['timestamp', "DateTime64(3, 'UTC')", `${received} - toIntervalMillisecond(7)`],
      ['market', 'FixedString(66)', conditionOf(market)],
      ['event_type', 'String', `if(${change} = 0, 'book', 'price_change')`],
      ['asset_id', 'String', tokenOf(token)],
      ['bids', 'Nullable(String)', ofBook(`if(${isYes}, ${side(50, -1)}, ${side(48, -1)})`)],
      ['asks', 'Nullable(String)', ofBook(`if(${isYes}, ${side(52, 1)}, ${side(50, 1)})`)],
      [
        'price',
        'Nullable(Decimal(9, 4))',
        ofChange(`toDecimal64(if(${isYes}, ${yesPrice}, 100 - ${yesPrice}), 4) / 100`),
      ],
      ['size', 'Nullable(Decimal(18, 6))', ofChange(`toDecimal64(1 + ${random(3, drawn)} % 100000, 6) / 100`)],
      ['side', 'Nullable(String)', ofChange(`if((${isYes}) = (${isBid}), 'BUY', 'SELL')`)],
      ['best_bid', 'Nullable(Decimal(9, 4))', cents(50, 48)],
      ['best_ask', 'Nullable(Decimal(9, 4))', cents(52, 50)],
      ['fee_rate_bps', 'Nullable(UInt16)', 'NULL'],
      ['transaction_hash', 'Nullable(String)', 'NULL'],
      ['old_tick_size', 'Nullable(Decimal(9, 4))', 'NULL'],
      ['new_tick_size', 'Nullable(Decimal(9, 4))', 'NULL'],
    ],
    rowsN,
  };
};

/** The markets of the hour, as the venue lists them. */
export const hourCatalogueFile = (rowsN: number): ImportFile => ({
  ending: 'jsonl',
  format: 'TSVRaw',
  columns: [
    [
      'line',
      'String',
      `concat('{"slug":"${hourMarket}-', toString(number), '","conditionId":"', ${conditionOf('number')}, '","clobTokenIds":"[\\\\"', ${tokenOf('number * 2')}, '\\\\",\\\\"', ${tokenOf('number * 2 + 1')}, '\\\\"]","question":"Market ', toString(number), '?","outcomes":"[\\\\"Yes\\\\",\\\\"No\\\\"]","active":true,"closed":false}')`,
    ],
  ],
  rowsN: hourMarkets(rowsN),
});
