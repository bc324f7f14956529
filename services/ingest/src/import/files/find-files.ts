import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ImportError, sentenceOf } from '../../errors.js';
import { isBookFolder, recorderFolderOf } from '../../recordings/book-folder.js';
import { isFileSystemError } from './detect-format.js';
import type { FilePlace } from '../../sources/open/open-source.js';
import { isHiddenName, matchingPaths } from '../../places/local-glob.js';
import { isPlace } from '../../places/place-list.js';
import { type Places, shownPlace } from '../../places/places.js';
import type { ReadObjects } from './read-objects.js';
import { containedFiles } from '../../sources/open/containers.js';

export interface FoundFile extends FilePlace {
  readonly isNamed: boolean;
  /** A folder of a recorder or a capture is imported as one recording. */
  readonly isFolder: boolean;
  /** Why the file cannot be read, or why the command line must name another path, and which. Null: it is the right one. */
  readonly misplaced: string | null;
  /** Only of an object of a place. Null: nothing shows whether it changed. */
  readonly identity?: string | null;
  /** When this object was read, which did not change since. It is skipped. */
  readonly unchangedSince?: string;
}

export interface FindOptions {
  /** Whether a mapping reads a single file of a recording, too. */
  readonly anyPath: boolean;
  readonly places: Places;
  /** Null: all objects are read. */
  readonly read: ReadObjects | null;
}

/** The files to import. Folders are walked in name order, and hidden files (`.DS_Store`) are skipped. */
export const findFiles = async (given: readonly string[], options: FindOptions): Promise<readonly FoundFile[]> => {
  const found = new Map<string, FoundFile>();
  for (const named of given)
    for (const one of isPlace(named) ? await objectsAt(named, options.places) : await localFiles(named, options))
      found.set(keyOf(one), one);
  if (found.size === 0) throw new ImportError(`No file found in ${given.join(', ')}`);
  return withoutUnchanged(Array.from(found.values()), options);
};

const localFiles = async (named: string, { anyPath, places }: FindOptions): Promise<readonly FoundFile[]> => {
  const matching = await matchingPaths(named);
  if (matching?.length === 0) throw new ImportError(`No file matches ${named}`);
  const inGlob: FoundFile[] = [];
  for (const path of matching ?? [])
    for (const one of await entryAt(path, places)) inGlob.push({ ...one, isNamed: false });
  if (matching !== null) return inGlob;
  const { path, misplaced } = anyPath ? { path: named, misplaced: null } : await placeOf(named);
  const files = misplaced === null ? await filesAt(path, places) : [{ path, isFolder: false, misplaced }];
  return files.map((one) => ({ ...one, isNamed: one.path === path }));
};

/** The objects of a place, of which no container was opened yet. A place that cannot be read is one file with its problem. */
const objectsAt = async (place: string, places: Places): Promise<readonly FoundFile[]> => {
  const found: FoundFile[] = [];
  const no = (misplaced: string): FoundFile => ({ path: shownPlace(place), isNamed: true, isFolder: false, misplaced });
  try {
    for await (const { name, isNamed, identity } of places.objects(place))
      found.push({ path: name, isNamed, isFolder: false, misplaced: null, identity });
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    found.push(no(error.message.replace(`${shownPlace(place)}: `, '')));
  }
  return found.length > 0 ? found : [no('no object is there')];
};

/**
 * Marks the objects that did not change, and lists the others' containers. Objects that describe markets are read if any other file is,
 * because its rows may need them.
 */
const withoutUnchanged = async (
  files: readonly FoundFile[],
  { places, read }: FindOptions,
): Promise<readonly FoundFile[]> => {
  const unchanged = files.map(({ path, identity }) =>
    typeof identity === 'string' ? (read?.unchanged(path, identity) ?? null) : null,
  );
  const isAll = !unchanged.includes(null);
  const isSkipped = (index: number): boolean => {
    const known = unchanged[index] ?? null;
    return known !== null && (isAll || !known.catalogue);
  };
  places.expect(
    files.flatMap(({ path, identity }, index) => (identity === undefined || isSkipped(index) ? [] : [path])),
  );
  const all: FoundFile[] = [];
  for (const [index, file] of files.entries()) {
    const known = unchanged[index] ?? null;
    if (known !== null && isSkipped(index)) all.push({ ...file, unchangedSince: known.at });
    else if (file.identity === undefined) all.push(file);
    else
      for (const one of await filesIn(file.path, places))
        all.push({ ...one, isNamed: file.isNamed && one.path === file.path, identity: file.identity });
  }
  return all;
};

/** `raw_events/` of a recorder stands for its folder. A single file of such a folder is no recording. */
const placeOf = async (path: string): Promise<{ path: string; misplaced: string | null }> => {
  await isFolderAt(path);
  const recording = await recorderFolderOf(path);
  if (recording === null || recording === path) return { path, misplaced: null };
  if (basename(path) === 'raw_events' && dirname(path) === recording) return { path: recording, misplaced: null };
  return { path, misplaced: `this is a part of the recording ${recording}. Import that folder` };
};

/** Two files of a tar may have one name. */
const keyOf = ({ path, inside }: FilePlace): string =>
  inside ? `${path} ${inside.steps.map(({ index }) => index).join(' ')}` : path;

type FileAt = Omit<FoundFile, 'isNamed'>;

/** `walked`: the folders so far, by their real paths. A link to one of them is passed over, because its files are there. */
const filesAt = async (path: string, places: Places, walked = new Set<string>()): Promise<readonly FileAt[]> => {
  if (!(await isFolderAt(path))) return filesIn(path, places);
  if (await isBookFolder(path)) return [{ path, isFolder: true, misplaced: null }];
  walked.add(await realpath(path));
  const entries = (await readdir(path, { withFileTypes: true })).filter(({ name }) => !isHiddenName(name));
  const inside: FileAt[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const at = join(path, entry.name);
    const isKnown = entry.isSymbolicLink() && walked.has(await realpath(at).catch(() => ''));
    if (!isKnown) inside.push(...(await entryAt(at, places, walked)));
  }
  return inside;
};

/** The files at a path that nobody named. */
const entryAt = async (path: string, places: Places, walked?: Set<string>): Promise<readonly FileAt[]> => {
  const problem = await problemOf(path);
  return problem === null ? filesAt(path, places, walked) : [{ path, isFolder: false, misplaced: problem }];
};

/** Why an entry of a folder cannot be read, such as a link to nothing, or a pipe, which would never end. */
const problemOf = async (path: string): Promise<string | null> => {
  try {
    const found = await stat(path);
    return found.isFile() || found.isDirectory() ? null : 'this is neither a file nor a folder';
  } catch (error) {
    return `it cannot be read: ${sentenceOf(error)}`;
  }
};

/** The file, or the files inside of it. A file that cannot be opened fails later, in its own report. */
const filesIn = async (path: string, places: Places): Promise<readonly FileAt[]> => {
  const contained = await containedFiles(path, places.open).catch((error: unknown) => {
    if (isFileSystemError(error)) return null;
    throw error;
  });
  if (contained === null) return [{ path, isFolder: false, misplaced: null }];
  return contained.map(({ steps, problem }) => ({
    path: [path, ...steps.map(({ name }) => name)].join('/'),
    ...(steps.length > 0 && { inside: { outer: path, steps } }),
    isFolder: false,
    misplaced: problem,
  }));
};

const isFolderAt = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch (cause) {
    throw new ImportError(`${path} cannot be read: ${sentenceOf(cause)}`, { cause });
  }
};
