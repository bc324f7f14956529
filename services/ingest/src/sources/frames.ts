import { parseJson } from '@almanac/contracts';
import { type BookMessage, refusal } from '../books/feed-message.js';
import { ImportError } from '../errors.js';
import type { MarketFact } from '../mapping/market-reader.js';
import { readTime } from '../values/time.js';
import type { BookSource } from './book-source.js';
import { kalshiFrame } from './kalshi-frames.js';
import { kalshiFactOf } from './kalshi-ticker.js';
import { openBytes, textBlocks } from './open-bytes.js';
import { polymarketMessages } from './polymarket-messages.js';
import { isObject, type JsonObject, recordCharsMax } from './source.js';

/** Parses the frames of a venue, from a file or live. */
export interface FrameReader {
  readonly name: string;
  readonly read: (us: number, raw: string) => readonly BookMessage[];
  readonly factOf: (ticker: string) => MarketFact;
}

const kalshi = (): FrameReader => ({
  name: 'Kalshi frames',
  read: (us, raw) => [kalshiFrame(us, raw)],
  factOf: kalshiFactOf,
});

const polymarket = (): FrameReader => {
  const messages = polymarketMessages();
  return {
    name: 'Polymarket frames',
    read: (us, raw) => messages.read(us, raw),
    factOf: (ticker) => ({ kind: 'market', ticker }),
  };
};

export const frameReaders = { kalshi, polymarket } as const;

/** The connection was lost, so messages of all markets may be missing from here on. */
export const lostFeed = (us: number, reason: string): BookMessage => ({
  kind: 'lost',
  us,
  ticker: null,
  sid: null,
  reason,
});

/** Whether a line is a frame: `{"recv_ts_ns": …, "raw": "…"}`, or with `lost` for a lost connection. */
export const isFrame = (record: JsonObject): boolean =>
  'recv_ts_ns' in record && (typeof record['raw'] === 'string' || typeof record['lost'] === 'string');

/** A Kalshi message has a `type`. Polymarket's have an `event_type`, or are lists or gamma's market objects. */
const venueOf = (raw: string): FrameReader =>
  /^\s*\{\s*"(?:type|id|sid|ticker|series_ticker)"/.test(raw) ? kalshi() : polymarket();

/** The frames of one feed, in the order of the files. Throws an `ImportError` that names a file that cannot be read. */
export const openFrames = async (paths: readonly string[]): Promise<BookSource> => {
  const files: { readonly path: string; readonly bytes: Awaited<ReturnType<typeof openBytes>> }[] = [];
  for (const path of paths) files.push({ path, bytes: await openBytes(path) });
  let venue: FrameReader | null = null;
  const read = (line: string): readonly BookMessage[] => {
    const frame = frameOf(line);
    if ('kind' in frame) return [frame];
    if (frame.lost !== null) return [lostFeed(frame.us, frame.lost)];
    venue ??= venueOf(frame.raw);
    return venue.read(frame.us, frame.raw);
  };
  return {
    name: () => venue?.name ?? 'frames',
    factOf: (ticker) => venue?.factOf(ticker) ?? { kind: 'market', ticker },
    sizeBytes: files.reduce((sum, { bytes }) => sum + bytes.sizeBytes, 0),
    bytesRead: () => files.reduce((sum, { bytes }) => sum + bytes.bytesRead(), 0),
    blocks: async function* () {
      for (const { path, bytes } of files) {
        for await (const lines of linesIn(path, textBlocks(path, bytes))) yield lines.flatMap(read);
      }
    },
  };
};

/** The lines of a text in blocks. Empty lines are skipped. */
export async function* linesIn(
  path: string,
  text: AsyncIterable<string>,
): AsyncGenerator<readonly string[], void, undefined> {
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > recordCharsMax) throw new ImportError(`${path}: a line is too long`);
    yield lines.filter((line) => line !== '');
  }
  if (rest !== '') yield [rest];
}

/** Each gap stores its reason. */
const reasonCharsMax = 200;

type Frame =
  | { readonly us: number; readonly raw: string; readonly lost: null }
  | { readonly us: number; readonly raw: null; readonly lost: string };

const frameOf = (line: string): Frame | BookMessage => {
  const no = (reason: string): BookMessage => refusal({ reason, text: line });
  const record = parseJson(line);
  if (record === undefined) return no('not JSON');
  // Nanoseconds have more digits than a binary float can hold.
  const us = readTime(receivedNs.exec(line)?.[1] ?? '', 'ns');
  if (!isObject(record) || us === null) return no('no receive time');
  const { raw, lost } = record;
  if (typeof lost === 'string') return { us, raw: null, lost: lost.slice(0, reasonCharsMax) };
  return typeof raw === 'string' ? { us, raw, lost: null } : no('not a frame');
};

const receivedNs = /^\s*\{\s*"recv_ts_ns":\s*(\d+)/;
