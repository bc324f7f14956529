import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Quotes in a recording as wide as a real one: four coins a line, a line every 2 s, windows of 15 minutes. */
export interface Recording {
  /** No two recordings overlap in time. */
  readonly number: number;
  readonly linesN: number;
}

const everyS = 2;
const windowS = 900;
const coins = ['BTC', 'ETH', 'SOL', 'XRP'] as const;
/** 2026-04-01: in another month, and so another partition, than the archive that is read. */
const firstS = 1_775_001_600;
const betweenS = 2 * 86_400;

export const rowsIn = ({ linesN }: Pick<Recording, 'linesN'>): number => linesN * coins.length;

/** The time span of a recording. */
export const spanOf = ({ number, linesN }: Recording) => {
  const startS = firstS + number * betweenS;
  return { startS, endS: startS + linesN * everyS };
};

const fields = (coin: string): string[] =>
  `ticker,mid,spread,yes_bid,yes_ask,volume,oi,floor_strike,time_to_expiry,ob_imbalance,real_price,price_vs_strike_pct,mom_5s,mom_15s,mom_30s,error`
    .split(',')
    .map((name) => `${coin.toLowerCase()}_${name}`);

export const writeRecording = (path: string, recording: Recording): Promise<void> => {
  const { startS } = spanOf(recording);
  return writeLines(path, function* () {
    yield `${['ts', 'ts_unix', ...coins.flatMap(fields), 'n_valid'].join(',')}\n`;
    for (let line = 0; line < recording.linesN; line += 1) yield quotesLine(startS + line * everyS, line);
  });
};

const writeLines = (path: string, lines: () => Iterable<string>): Promise<void> =>
  pipeline(Readable.from(lines()), createWriteStream(path));

const quotesLine = (second: number, line: number): string => {
  const closeS = (Math.floor(second / windowS) + 1) * windowS;
  const cells = coins.map((coin, index) => {
    const bid = 1 + ((line * 7 + index * 31) % 97);
    const price = ((6_500_000 + ((line * 11 + index) % 100_000)) / 100).toFixed(2);
    const ticker = `KX${coin}15M-${stamp(closeS)}-${stamp(closeS).slice(-2)}`;
    const left = closeS - second;
    return `${ticker},${(bid + 0.5) / 100},0.01,${bid},${bid + 1},95725,27973,65434.98,${left}.081651,-0.6046,${price},0.1634,0.01,0.02,0.03,`;
  });
  const fraction = String(line % 1_000_000).padStart(6, '0');
  return `${new Date(second * 1_000).toISOString()},${second}.${fraction},${cells.join(',')},4\n`;
};

/** A stamp such as `26FEB242330`: the venue's US Eastern time, which is UTC-4 in April. */
const stamp = (second: number): string => {
  const [, day = '', month = '', year = '', hour = '', minute = ''] =
    /(\d\d) (\w{3}) \d\d(\d\d) (\d\d):(\d\d)/.exec(new Date((second - 4 * 3_600) * 1_000).toUTCString()) ?? [];
  return `${year}${month.toUpperCase()}${day}${hour}${minute}`;
};

/** A dump of trades of Kalshi, one a line. The trades of a market follow each other, as pages of the venue do. */
export interface TradeRecording {
  /** No two recordings share a market. */
  readonly number: number;
  readonly tradesN: number;
}

const marketTrades = 10_000;

export const tickersOf = ({ number, tradesN }: TradeRecording): readonly string[] =>
  Array.from({ length: Math.ceil(tradesN / marketTrades) }, (_, market) => `KXTRADE-26APR${10 + number}-M${market}`);

export const writeTradeRecording = (path: string, recording: TradeRecording): Promise<void> => {
  const tickers = tickersOf(recording);
  return writeLines(path, function* () {
    for (let at = 0; at < recording.tradesN; at += 1)
      yield tradeLine(recording.number, at, tickers[Math.floor(at / marketTrades)] ?? '');
  });
};

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

const tradeLine = (number: number, at: number, ticker: string): string => {
  const cents = 1 + ((at * 7) % 98);
  const time = new Date(firstS * 1_000 - at * 37).toISOString();
  // In no order, like the venue's.
  const id = `${hex(Math.imul(at + 1, 0x9e3779b1) >>> 0, 8)}-${hex(number, 4)}-4000-8000-${hex(at, 12)}`;
  return `${JSON.stringify({
    count_fp: `${1 + (at % 400)}.${10 + (at % 90)}`,
    created_time: time.replace('Z', `${String(at % 1_000).padStart(3, '0')}Z`),
    no_price_dollars: ((100 - cents) / 100).toFixed(4),
    taker_side: at % 3 === 0 ? 'no' : 'yes',
    ticker,
    trade_id: id,
    yes_price_dollars: (cents / 100).toFixed(4),
  })}\n`;
};

/** A recording of order books. Each turn is a separate file. */
export interface BookRecording {
  readonly turns: number;
  readonly changesN: number;
}

const bookTicker = 'KXBTC15M-26MAY140915-15';
const bookStartUs = 1_778_763_600_000_000;
const levels = 90;
const priceOf = (level: number): string => (0.001 + (level % levels) * 0.005).toFixed(4);

const bookLine = (type: string, at: number, payload: object): string => {
  const us = bookStartUs + at * 12_000;
  const ts = new Date(us / 1_000).toISOString();
  const head = { channel: 'orderbook_delta', event_type: type, exchange_ts: ts, market_ticker: bookTicker };
  const tail = {
    recorder_version: 'native-passive-ws-v1',
    sequence_number: at + 1,
    trust_state: 'synced',
    ts_wall: ts,
  };
  const line = JSON.stringify({ ...head, payload_json: { market_ticker: bookTicker, ...payload }, ...tail });
  return `${line.slice(0, -1)},"local_recv_ns":${us}000}\n`;
};

/** A book of 90 levels a side with alternating changes: what one adds, the next but one removes. */
function* turnLines(turn: number, changesN: number): Generator<string> {
  const side = Array.from({ length: levels }, (_, level) => [priceOf(level), `${100 + level}.00`]);
  const ts = new Date(bookStartUs / 1_000).toISOString();
  const first = turn * (changesN + 1);
  yield bookLine('orderbook_snapshot', first, { yes_dollars_fp: side, no_dollars_fp: side });
  for (let n = 1; n <= changesN; n += 1) {
    const pair = Math.floor((n - 1) / 4);
    const by = `${(n - 1) % 4 < 2 ? '' : '-'}${1 + (pair % 90)}.25`;
    const change = { delta_fp: by, price_dollars: priceOf(pair * 7), side: n % 2 === 0 ? 'yes' : 'no' };
    yield bookLine('orderbook_delta', first + n, { ...change, ts });
  }
}

/** Writes a recording folder. */
export const writeBookRecording = async (folder: string, { turns, changesN }: BookRecording): Promise<void> => {
  const hour = join(folder, 'raw_events', 'type=orderbook_delta', 'day=2026-05-14', 'hour=13');
  await mkdir(hour, { recursive: true });
  for (let turn = 0; turn < turns; turn += 1) {
    const path = join(hour, `part-${String(turn).padStart(3, '0')}.ndjson.gz`);
    await pipeline(Readable.from(turnLines(turn, changesN)), createGzip({ level: 1 }), createWriteStream(path));
  }
};
