import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { filesBelow } from './files-below.js';
import type { RecordedMessage } from './replay-venue.js';

const msg = z.looseObject({ market_ticker: z.string() });
const frame = z.object({ type: z.string(), msg });
const recorded = z.object({ raw: z.string() });
const event = z.object({
  event_type: z.string(),
  local_recv_ns: z.number(),
  sequence_number: z.number(),
  payload_json: msg,
});

const isOfBooks = ({ type }: { type: string }): boolean => type.startsWith('orderbook_');

/** The book messages of `ws_frames.jsonl`, in order. */
export const framesOf = (file: string): readonly RecordedMessage[] =>
  linesOf(readFileSync(file)).flatMap((line) => {
    const read = frame.safeParse(JSON.parse(recorded.parse(JSON.parse(line)).raw));
    return read.success && isOfBooks(read.data) ? read.data : [];
  });

/** The book messages of a recorder's folder, merged in the order of their subscription. */
export const sessionOf = (folder: string): readonly RecordedMessage[] =>
  ['orderbook_snapshot', 'orderbook_delta']
    .flatMap((type) => filesBelow(join(folder, 'raw_events', `type=${type}`)))
    .flatMap((file) => linesOf(gunzipSync(readFileSync(file))))
    .map((line) => event.parse(JSON.parse(line)))
    .toSorted((a, b) => a.local_recv_ns - b.local_recv_ns || a.sequence_number - b.sequence_number)
    .map(({ event_type: type, payload_json }) => ({ type, msg: payload_json }));

const linesOf = (bytes: Uint8Array): readonly string[] => Buffer.from(bytes).toString('utf8').trim().split('\n');
