import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { JsonObject } from '../../sources/source.js';

const rawEvents = 'raw_events';
const spotTicks = ['spot_ticks.ndjson.gz', 'spot_ticks.ndjson'] as const;
export const marketResults = 'market_results.json';

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

export const isKalshiRecording = async (folder: string): Promise<boolean> =>
  (await namesIn(join(folder, rawEvents))).some((name) => name.startsWith('type=orderbook_'));

/** The recording that a path belongs to: the path itself, or a folder above it. */
export const recordingOf = async (path: string): Promise<string | null> => {
  for (let folder = path; ; folder = dirname(folder)) {
    if (await isKalshiRecording(folder)) return folder;
    if (folder === dirname(folder)) return null;
  }
};

/** A line of a recorder's file: an event, a trade of the coin or a checkpoint. */
export const isRecordedEvent = (record: JsonObject): boolean =>
  'local_recv_ns' in record || record['event_type'] === 'orderbook_checkpoint';

export interface RecordedFile {
  /** The type of its events, `spot` for trades of the coin. */
  readonly type: string;
  readonly path: string;
}

/** The files of a recording that an import reads, by type and then in name order. */
export const recordedFiles = async (folder: string): Promise<readonly RecordedFile[]> => {
  const found: RecordedFile[] = [];
  const raw = join(folder, rawEvents);
  for (const name of (await readdir(raw, { recursive: true })).toSorted()) {
    const [, type] = /^type=([^/\\]+)/.exec(name) ?? [];
    if (type !== undefined && /\.ndjson(?:\.gz)?$/.test(name)) found.push({ type, path: join(raw, name) });
  }
  for (const name of spotTicks)
    if (await isThere(join(folder, name))) found.push({ type: 'spot', path: join(folder, name) });
  return found;
};

/** Files and folders of a recording that an import does not read, such as the checkpoints, which round to cents. */
export const unreadFiles = async (folder: string, read: readonly RecordedFile[]): Promise<readonly string[]> => {
  const known = new Set<string>([rawEvents, marketResults, ...read.map(({ path }) => basename(path))]);
  const beside = (await namesIn(folder)).filter((name) => !name.startsWith('.') && !known.has(name));
  const inRaw = await readdir(join(folder, rawEvents), { recursive: true, withFileTypes: true });
  const paths = new Set(read.map(({ path }) => path));
  const others = inRaw
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && !paths.has(join(entry.parentPath, entry.name)))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return [...beside, ...others].toSorted();
};

export const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
