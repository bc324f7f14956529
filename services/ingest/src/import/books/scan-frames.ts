import { sequenceScan, type FoundSequences, scanLinesMax } from './scan-sequences.js';
import { envelopeOf, type Envelope, textIn, timeText } from '../../recordings/frame-envelope.js';
import { linesIn } from '../../sources/open/open-bytes.js';
import type { FilePlace, OpenedSource } from '../../sources/open/open-source.js';
import { isObject, type JsonObject } from '../../sources/source.js';
import { readTime } from '../../values/time.js';
import { ImportError } from '../../errors.js';
import { parseJson } from '@almanac/contracts';

/** Lines of a file without any number, after which it has none. */
const unnumberedMax = 2_000;

/** A value of a frame, as text in a text or plain. */
const value = (key: string, form: string): RegExp => new RegExp(String.raw`\\?"${key}\\?"\s*:\s*\\?"?(${form})`);
const numbers = { sid: value('sid', String.raw`\d+`), seq: value('seq', String.raw`\d+`) };
const marketTicker = value('market_ticker', String.raw`[^"\\]+`);
const subscribed = value('type', 'subscribed');

export interface ScannedFrames {
  readonly sequences: FoundSequences;
  /** The time of the first frame of a file. 0 without one. */
  readonly startOf: (path: string) => number;
}

export interface OpenedLines extends Pick<OpenedSource, 'text' | 'close'> {
  /** How a mapping says that they are wrapped. Null: as the first one shows. */
  readonly envelope: Envelope | null;
}

/** Reads the positions of frames before an import, because all files together show what their numbers say. */
export const scanFrames = async <File extends FilePlace>(
  files: readonly File[],
  open: (file: File) => Promise<OpenedLines>,
): Promise<ScannedFrames> => {
  const scan = sequenceScan();
  const starts = new Map<string, number>();
  for (const file of files) {
    try {
      const opened = await open(file);
      try {
        starts.set(file.path, await scanFile(file.path, opened, scan));
      } finally {
        await opened.close();
      }
    } catch (error) {
      // The import reads the file again and reports it.
      if (!(error instanceof ImportError)) throw error;
    }
  }
  return { sequences: scan.found(), startOf: (path) => starts.get(path) ?? 0 };
};

/** Returns the time of the first frame, or 0. */
const scanFile = async (
  path: string,
  { text, envelope: stated }: OpenedLines,
  scan: ReturnType<typeof sequenceScan>,
): Promise<number> => {
  if (text === null) return 0;
  const opened = new Set<string>();
  let envelope: Envelope | null = stated;
  let [startUs, lines, found] = [0, 0, 0];
  const scanLine = (line: string): void => {
    lines += 1;
    const record = startUs === 0 || envelope === null ? objectIn(line) : null;
    if (record !== null) envelope ??= envelopeOf(record);
    if (startUs === 0 && record !== null) startUs = timeOf(record, envelope, line) ?? 0;
    const sid = numbers.sid.exec(line)?.[1];
    if (sid === undefined) return;
    if (subscribed.test(line)) return void opened.add(sid);
    const seq = numbers.seq.exec(line)?.[1];
    if (seq === undefined) return;
    found += 1;
    const us = quickTime(line, envelope);
    const ticker = marketTicker.exec(line)?.[1] ?? null;
    scan.add(path, { us, sid: Number(sid), seq: Number(seq) }, { ticker, isFirst: opened.has(sid) });
  };
  for await (const block of linesIn(path, text)) {
    for (const line of block) scanLine(line);
    if (found === 0 && lines > unnumberedMax) break;
    if (lines <= scanLinesMax) continue;
    scan.cut(path);
    break;
  }
  return startUs;
};

const objectIn = (line: string): JsonObject | null => {
  const json = parseJson(line);
  return isObject(json) ? json : null;
};

const timeOf = (record: JsonObject, envelope: Envelope | null, line: string): number | null =>
  envelope?.received
    ? readTime(timeText(record, envelope.received.key, line), envelope.received.unit)
    : venueTime(line);

/** The time of a line without parsing it. */
const quickTime = (line: string, envelope: Envelope | null): number => {
  if (!envelope?.received) return venueTime(line) ?? 0;
  const { key, unit } = envelope.received;
  return readTime(textIn(line, key), unit) ?? 0;
};

const venueMs = /\\?"(?:ts_ms|timestamp)\\?"\s*:\s*\\?"?(\d{13})/;
const venueTime = (line: string): number | null => readTime(venueMs.exec(line)?.[1] ?? '', 'ms');
