import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/** A dump of trades of Kalshi, one a line. The trades of a market follow each other, as pages of the venue do. */
export interface TradeRecording {
  /** No two recordings share a market. */
  readonly number: number;
  readonly tradesN: number;
}

const marketTrades = 10_000;
/** 2026-04-01, in milliseconds. */
const firstMs = 1_775_001_600_000;

export const tickersOf = ({ number, tradesN }: TradeRecording): readonly string[] =>
  Array.from({ length: Math.ceil(tradesN / marketTrades) }, (_, market) => `KXTRADE-26APR${10 + number}-M${market}`);

export const writeTradeRecording = async (path: string, recording: TradeRecording): Promise<void> => {
  const out = createWriteStream(path);
  const tickers = tickersOf(recording);
  for (let at = 0; at < recording.tradesN; at += 1) {
    if (!out.write(lineOf(recording, at, tickers[Math.floor(at / marketTrades)] ?? ''))) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
};

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** An id in no order, like the venue's. */
const idOf = ({ number }: TradeRecording, at: number): string =>
  `${hex(Math.imul(at + 1, 0x9e3779b1) >>> 0, 8)}-${hex(number, 4)}-4000-8000-${hex(at, 12)}`;

const lineOf = (recording: TradeRecording, at: number, ticker: string): string => {
  const cents = 1 + ((at * 7) % 98);
  const time = new Date(firstMs - at * 37).toISOString().replace('Z', `${String(at % 1_000).padStart(3, '0')}Z`);
  return `${JSON.stringify({
    count_fp: `${1 + (at % 400)}.${10 + (at % 90)}`,
    created_time: time,
    no_price_dollars: ((100 - cents) / 100).toFixed(4),
    taker_side: at % 3 === 0 ? 'no' : 'yes',
    ticker,
    trade_id: idOf(recording, at),
    yes_price_dollars: (cents / 100).toFixed(4),
  })}\n`;
};
