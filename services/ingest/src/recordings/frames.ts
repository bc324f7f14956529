import { parseJson, type SpanClock } from '@almanac/contracts';
import { type BookMessage, refusal } from '../model/feed-message.js';
import type { AcceptAltered } from '../values/altered.js';
import { type Envelope, envelopeOf, frameOf, timeText } from './frame-envelope.js';
import { inexact, inexactTime, receiveTime } from '../sources/receive-time.js';
import type { BookRuns, BookSource } from '../model/book-source.js';
import type { FrameFormat, FrameReader } from '../venues/venue.js';
import type { KnownOutcomes } from '../sources/known-outcomes.js';
import { venues } from '../venues/venues.js';
import { openBytes, splitLines, textBlocks, wholeLines } from '../sources/open/open-bytes.js';
import { isObject, type JsonObject, type RecordSource } from '../sources/source.js';
import { type PlainForm, plainForm, PlainFrames } from './plain-frames.js';
import { venueTimed } from './venue-timed.js';

/** The connection was lost, so messages of all markets may be missing from here on. */
export const lostFeed = (us: number, reason: string): BookMessage => ({
  kind: 'lost',
  us,
  ticker: null,
  sid: null,
  reason,
});

const formats: readonly FrameFormat[] = Object.values(venues).map(({ frames }) => frames);

/** The venue that sent this frame, or null if no venue sends such frames. */
const formatOf = (json: unknown): FrameFormat | null => formats.find(({ is }) => is(json)) ?? null;

interface Found {
  readonly format: FrameFormat;
  readonly reader: FrameReader;
}

/** Reads the frames of one feed line by line. */
const lineReader = (accept: AcceptAltered, { outcomes, envelope: stated = null }: FramesOptions) => {
  let envelope: Envelope | null = stated;
  let found: Found | null = null;
  let venue: ReturnType<typeof venueTimed> | null = null;
  let plain: PlainForm | null | undefined;

  const readerOf = (json: unknown): Found | null => {
    const format = found === null ? formatOf(json) : null;
    return (found ??= format && { format, reader: format.reader(outcomes) });
  };
  const readFrame = (us: number | null, { raw, json, line }: { raw: string; json: unknown; line: string }) => {
    const parsed = json ?? parseJson(raw);
    const known = readerOf(parsed);
    if (known === null)
      return [refusal({ ...(us !== null && { us }), reason: 'not a frame of a known venue', text: line })];
    if (us !== null) return known.reader.read(us, raw, parsed);
    venue ??= venueTimed(known.format, known.reader);
    return venue.read(raw, parsed);
  };
  const read = (record: unknown, line: string): readonly BookMessage[] => {
    const no = (reason: string, us?: number) => [refusal({ ...(us !== undefined && { us }), reason, text: line })];
    if (record === undefined) return no('not JSON');
    if (Array.isArray(record)) return readFrame(null, { raw: line, json: record, line });
    if (!isObject(record)) return no('not a frame');
    envelope ??= envelopeOf(record);
    if (envelope === null) return no('not a frame');
    const us = receiptIn(record, { envelope, line, accept });
    if (us === undefined) return no('no receive time');
    if (us === inexact) return no(inexactTime);
    const lost = record['lost'];
    if (us !== null && typeof lost === 'string') return [lostFeed(us, lost.slice(0, reasonCharsMax))];
    const frame = frameOf(record, envelope);
    if (typeof frame === 'string') return readFrame(us, { raw: frame, json: undefined, line });
    return isObject(frame) || Array.isArray(frame)
      ? readFrame(us, { raw: line, json: frame, line })
      : no('not a frame');
  };
  return {
    read,
    /** The messages that wait for a time. */
    end: (): readonly BookMessage[] => venue?.end() ?? [],
    /** The ids in a line whose markets the frames need. Until the venue is known, those of any. */
    idsIn: (line: string): readonly string[] =>
      (found === null ? formats : [found.format]).flatMap(({ idsIn }) => idsIn?.(line) ?? []),
    /** Whether frames may need markets that the archive knows. */
    needsMarkets: () => found === null || found.format.idsIn !== undefined,
    /** How plain frames are read. Null until a frame shows it. */
    plain: (): PlainForm | null => {
      if (plain === undefined && envelope !== null && found !== null) plain = plainForm(envelope, found.reader.plain);
      return plain ?? null;
    },
    reader: () => found?.reader ?? null,
    clock: (): SpanClock => (venue === null ? 'receipt' : 'venue'),
  };
};

/** Null if the recorder notes no receipt, undefined if this record has none. */
const receiptIn = (
  record: JsonObject,
  { envelope: { received }, line, accept }: { envelope: Envelope; line: string; accept: AcceptAltered },
): number | null | undefined | typeof inexact =>
  received === null ? null : (receiveTime(timeText(record, received.key, line), accept, received.unit) ?? undefined);

export interface FramesOptions {
  /** The records of a JSON document, instead of the lines of a file. */
  readonly document?: RecordSource | null;
  /** How the frames are wrapped. Default: as the first one shows. */
  readonly envelope?: Envelope | null;
  /** The markets of tokens. They are found before the frames that need them are read. */
  readonly outcomes?: Pick<KnownOutcomes, 'get' | 'find'> | undefined;
  /** Whether plain frames of lines are runs. Default: all are messages. */
  readonly isByColumn?: boolean;
}

/** A file of frames that is open already. Without a text, its frames are in a document. */
export interface FrameFile {
  readonly path: string;
  readonly text: AsyncIterable<string> | null;
  readonly sizeBytes: number;
  readonly bytesRead: () => number;
}

const frameFile = async (path: string): Promise<FrameFile> => {
  const bytes = await openBytes(path);
  return { path, text: textBlocks(path, bytes), sizeBytes: bytes.sizeBytes, bytesRead: bytes.bytesRead };
};

/** The frames of one feed, in the order of the files, or of one JSON document. Throws an `ImportError` that names a file that cannot be read. */
export const openFrames = async (
  given: readonly (string | FrameFile)[],
  accept: AcceptAltered,
  options: FramesOptions = {},
): Promise<BookSource<BookMessage | BookRuns>> => {
  const files: FrameFile[] = [];
  for (const file of given) files.push(typeof file === 'string' ? await frameFile(file) : file);
  const { document = null, outcomes, isByColumn = false } = options;
  const lines = lineReader(accept, options);
  let rows = 0;
  const readRecord = (record: unknown, line: string): readonly BookMessage[] => {
    rows += 1;
    const at = rows;
    return lines.read(record, line).map((message) => ({ ...message, line: at }));
  };
  const plain = isByColumn
    ? new PlainFrames({
        form: lines.plain,
        next: () => (rows += 1),
        read: (line) => lines.read(parseJson(line), line).map((message) => ({ ...message, line: rows })),
      })
    : null;
  const find = async (texts: readonly string[]): Promise<void> => outcomes?.find(texts.flatMap(lines.idsIn));
  return {
    name: () => lines.reader()?.name ?? 'frames',
    factOf: (ticker) => lines.reader()?.factOf(ticker) ?? { kind: 'market', ticker },
    clock: lines.clock,
    rowsRead: () => rows,
    sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    bytesRead: () => files.reduce((sum, { bytesRead }) => sum + bytesRead(), 0),
    blocks: async function* () {
      if (document !== null) {
        for await (const { records, broken } of document.blocks()) {
          const texts = records.map(({ value }) => JSON.stringify(value));
          await find(texts);
          yield records.flatMap(({ value }, at) => readRecord(value, texts[at] ?? ''));
          yield broken.map(({ reason, text, line }) => refusal({ reason, text, line }));
        }
      } else
        for (const { path, text } of files) {
          for await (const block of text === null ? [] : wholeLines(path, text)) {
            plain?.begin(block);
            const texts = plain === null ? splitLines(block) : [];
            if (lines.needsMarkets()) await find(plain?.parsed() ?? texts);
            yield plain?.items() ?? texts.flatMap((line) => readRecord(parseJson(line), line));
          }
        }
      yield lines.end();
    },
  };
};

/** Each gap stores its reason. */
const reasonCharsMax = 200;
