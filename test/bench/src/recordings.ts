import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

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
