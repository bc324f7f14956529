import { parseJson } from '@almanac/contracts';
import { type BookMessage, refusal } from '../books/feed-message.js';
import type { AcceptAltered } from '../values/altered.js';
import { inexact, inexactTime, receiveTime } from './receive-time.js';
import type { BookSource } from './book-source.js';
import type { FrameReader } from '../venues/venue.js';
import { venues } from '../venues/venues.js';
import { linesIn, openBytes, textBlocks } from './open-bytes.js';
import { isObject, type JsonObject } from './source.js';

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

/** The reader of the venue that sent this frame, or null if no venue sends such frames. */
const readerOf = (raw: string): FrameReader | null => {
  const json = parseJson(raw);
  return (
    Object.values(venues)
      .find(({ frames }) => frames.is(json))
      ?.frames.reader() ?? null
  );
};

/** The frames of one feed, in the order of the files. Throws an `ImportError` that names a file that cannot be read. */
export const openFrames = async (paths: readonly string[], accept: AcceptAltered): Promise<BookSource> => {
  const files: { readonly path: string; readonly bytes: Awaited<ReturnType<typeof openBytes>> }[] = [];
  for (const path of paths) files.push({ path, bytes: await openBytes(path) });
  let reader: FrameReader | null = null;
  const read = (line: string): readonly BookMessage[] => {
    const frame = frameOf(line, accept);
    if ('kind' in frame) return [frame];
    if (frame.lost !== null) return [lostFeed(frame.us, frame.lost)];
    reader ??= readerOf(frame.raw);
    return (
      reader?.read(frame.us, frame.raw) ?? [
        refusal({ us: frame.us, reason: 'not a frame of a known venue', text: line }),
      ]
    );
  };
  return {
    name: () => reader?.name ?? 'frames',
    factOf: (ticker) => reader?.factOf(ticker) ?? { kind: 'market', ticker },
    sizeBytes: files.reduce((sum, { bytes }) => sum + bytes.sizeBytes, 0),
    bytesRead: () => files.reduce((sum, { bytes }) => sum + bytes.bytesRead(), 0),
    blocks: async function* () {
      for (const { path, bytes } of files) {
        for await (const lines of linesIn(path, textBlocks(path, bytes))) yield lines.flatMap(read);
      }
    },
  };
};

/** Each gap stores its reason. */
const reasonCharsMax = 200;

type Frame =
  | { readonly us: number; readonly raw: string; readonly lost: null }
  | { readonly us: number; readonly raw: null; readonly lost: string };

const frameOf = (line: string, accept: AcceptAltered): Frame | BookMessage => {
  const no = (reason: string): BookMessage => refusal({ reason, text: line });
  const record = parseJson(line);
  if (record === undefined) return no('not JSON');
  // Nanoseconds have more digits than a binary float can hold.
  const us = receiveTime(receivedNs.exec(line)?.[1] ?? '', accept);
  if (!isObject(record) || us === null) return no('no receive time');
  if (us === inexact) return no(inexactTime);
  const { raw, lost } = record;
  if (typeof lost === 'string') return { us, raw: null, lost: lost.slice(0, reasonCharsMax) };
  return typeof raw === 'string' ? { us, raw, lost: null } : no('not a frame');
};

const receivedNs = /^\s*\{\s*"recv_ts_ns":\s*(\d+)/;
