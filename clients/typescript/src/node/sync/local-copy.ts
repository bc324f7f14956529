import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError } from '../../errors.js';
import { fileErrorOf } from '../file-errors.js';

/** Where a market begins in a CSV file, and its first time in microseconds. Other formats have no offset. */
export type MarketPlace = readonly [ticker: string, offset: number | null, first_us: number];
type StoredGap = readonly [start_us: number, ticker: string, end_us: number | null, reason: string, missing: string];

/** What is stored of one event. */
export interface CopiedFile {
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly dataset_id: string | null;
  readonly markets: readonly MarketPlace[];
  readonly gaps: readonly StoredGap[];
  readonly gaps_n: number;
}

/** Those of the first sync. */
export interface CopyOptions {
  readonly series: readonly string[];
  readonly format: string;
  readonly streams: readonly string[];
}

/**
 * What a folder has, as the Python client stores it too. `pending` are targets to fetch. They are stored together with the
 * cursor that found them, so an interrupted sync loses none.
 */
export interface LocalCopy {
  readonly folder: string;
  readonly options: CopyOptions;
  readonly cursors: Record<string, string>;
  pending: string[];
  readonly files: Record<string, CopiedFile>;
}

const stateName = 'almanac.json';
const format = 1;
const nameMax = 150;

/** The state of a folder, or an empty one. A folder with other options is refused. */
export const openCopy = async (folder: string, options: CopyOptions): Promise<LocalCopy> => {
  const path = join(folder, stateName);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { folder, options, cursors: {}, pending: [], files: {} };
    }
    throw fileErrorOf(error, path);
  }
  const state = stateOf(text, path);
  if (state.format !== format) {
    throw conflict(`${folder} is from a newer version of the client.`, 'Update the client, or use another folder.');
  }
  if (!areEqual(state.options, options)) {
    const detail = `${folder} is a copy of ${optionsText(state.options)}.`;
    throw conflict(detail, 'Sync with these options, or use another folder.');
  }
  return { folder, ...state };
};

const optionsText = ({ series, format: kind, streams }: CopyOptions): string =>
  `${series.join(', ') || 'all series'} in the format ${kind}, with ${streams.join(', ')}`;

type State = Omit<LocalCopy, 'folder'> & { readonly format: number };

const stateOf = (text: string, path: string): State => {
  const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
  try {
    const state = JSON.parse(text) as State;
    const isWhole =
      isRecord(state.options) && isRecord(state.cursors) && isRecord(state.files) && Array.isArray(state.pending);
    if (isWhole) return state;
  } catch {
    // It is damaged, as below.
  }
  throw new FileError({
    code: 'file_mismatch',
    detail: `${path} is damaged.`,
    remedy: 'Remove the folder, and sync again.',
  });
};

const conflict = (detail: string, remedy: string): FileError =>
  new FileError({ code: 'file_conflict', detail, remedy });

const areEqual = (stored: CopyOptions, given: CopyOptions): boolean =>
  JSON.stringify([stored.series, stored.format, stored.streams]) ===
  JSON.stringify([given.series, given.format, given.streams]);

/** The state is always one that was complete: it is written under another name first. */
export const saveCopy = async ({ folder, options, cursors, pending, files }: LocalCopy): Promise<void> => {
  const draft = join(folder, `.${stateName}.${process.pid}`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(draft, JSON.stringify({ format, options, cursors, pending, files }, undefined, 1));
    await rename(draft, join(folder, stateName));
  } catch (error) {
    await rm(draft, { force: true });
    throw fileErrorOf(error, join(folder, stateName));
  }
};

/** A file is named after its target and its content, so a new version never overwrites one that is read. */
export const pathOf = ({ folder, options }: LocalCopy, target: string, sha256: string): string => {
  const encoded = encodeURIComponent(target)
    .replaceAll(/[!'()*]/g, percentOf)
    .replaceAll('%20', ' ');
  return join(folder, `${encoded.slice(0, nameMax)}.${sha256.slice(0, 16)}.${options.format}`);
};

const percentOf = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Stores the new file of a target, then removes the old one. */
export const replaceFile = async (copy: LocalCopy, target: string, file: CopiedFile): Promise<void> => {
  const old = copy.files[target];
  copy.files[target] = file;
  await saveCopy(copy);
  if (old !== undefined && old.file !== file.file) await rm(join(copy.folder, old.file), { force: true });
};

export const damagedCsv = (path: string): FileError =>
  new FileError({
    code: 'file_mismatch',
    detail: `${path} has no columns ticker and ts.`,
    remedy: 'Report the export.',
  });
