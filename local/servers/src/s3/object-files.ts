import { createHash, randomUUID } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  type ReadStream,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { S3Error } from './errors.js';

export type ObjectHeaders = Readonly<Record<string, string>>;

export interface StoredObject {
  readonly bytes: number;
  readonly modifiedAt: Date;
  /** With its quotes. */
  readonly etag: string;
  readonly headers: ObjectHeaders;
}

const mark = '._S3rver_';

/**
 * Buckets and their objects as files, in the layout of the s3rver package, so that its folders still open:
 *
 *     data/<bucket>/<key>._S3rver_object         the bytes; next to them `.md5`, the ETag without quotes
 *     data/<bucket>/<key>._S3rver_metadata.json  the headers
 *     data/<bucket>/._S3rver_uploads/<id>/       a multipart upload, see uploads.ts
 *     tmp/                                       files being written
 *
 * Bytes are written to `tmp` and renamed into place. So an answered write survives `kill -9`, and an unanswered one is
 * invisible. Nothing is fsynced: a power cut may lose the last seconds. Placing and describing an object is
 * synchronous, so no other request can run in between.
 */
export class ObjectFiles {
  readonly #data: string;
  readonly #tmp: string;

  /** @param folder holds `data` and `tmp`. What a killed run left in `tmp` is removed. */
  constructor(folder: string) {
    this.#data = join(folder, 'data');
    this.#tmp = join(folder, 'tmp');
    rmSync(this.#tmp, { recursive: true, force: true });
    for (const dir of [this.#tmp, this.#data]) mkdirSync(dir, { recursive: true });
  }

  buckets(): string[] {
    const entries = readdirSync(this.#data, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }

  hasBucket(bucket: string): boolean {
    return existsSync(join(this.#data, bucket));
  }

  createBucket(bucket: string): void {
    mkdirSync(join(this.#data, bucket));
  }

  path(bucket: string, key: string, file = 'object'): string {
    return join(this.#data, bucket, `${key}${mark}${file}`);
  }

  tmpPath(): string {
    return join(this.#tmp, randomUUID());
  }

  describe(bucket: string, key: string): StoredObject | undefined {
    const path = this.path(bucket, key);
    const stats = statSync(path, { throwIfNoEntry: false });
    const md5 = textOf(`${path}.md5`);
    if (stats === undefined || md5 === undefined) return undefined;
    const headers = parseHeaders(textOf(this.path(bucket, key, 'metadata.json')) ?? '{}');
    return { bytes: stats.size, modifiedAt: stats.mtime, etag: `"${md5}"`, headers };
  }

  /** The bytes from `start` to `end`, both included. The stream closes the file. */
  content(bucket: string, key: string, { start, end }: { start: number; end: number }): ReadStream {
    const path = this.path(bucket, key);
    return createReadStream(path, { fd: openSync(path, 'r'), start, end, highWaterMark: 256 * 1_024 });
  }

  /** Moves the file into an object's place. A kill between the steps leaves the old or the new bytes. */
  put(bucket: string, key: string, stored: { path: string; etag: string; headers: ObjectHeaders }): void {
    this.requireBucket(bucket);
    const target = this.path(bucket, key);
    mkdirSync(dirname(target), { recursive: true });
    this.writeWhole(this.path(bucket, key, 'metadata.json'), JSON.stringify(stored.headers));
    this.place(stored.path, target, stored.etag);
  }

  /** Removes the old ETag first: after a kill there is none, or the right one. */
  place(path: string, target: string, etag: string): void {
    rmSync(`${target}.md5`, { force: true });
    renameSync(path, target);
    this.writeWhole(`${target}.md5`, etag);
  }

  writeWhole(path: string, text: string): void {
    const tmp = this.tmpPath();
    writeFileSync(tmp, text);
    renameSync(tmp, path);
  }

  /** Writes the ETag if a kill left it unwritten. */
  async repair(bucket: string, key: string): Promise<void> {
    const path = this.path(bucket, key);
    const isBroken = (): boolean => existsSync(path) && !existsSync(`${path}.md5`);
    if (!isBroken()) return;
    const md5 = createHash('md5');
    await pipeline(createReadStream(path), md5);
    if (isBroken()) this.writeWhole(`${path}.md5`, md5.digest('hex'));
  }

  /** Also removes folders that become empty. */
  delete(bucket: string, key: string): void {
    const path = this.path(bucket, key);
    for (const file of [path, `${path}.md5`, this.path(bucket, key, 'metadata.json')]) rmSync(file, { force: true });
    const root = join(this.#data, bucket);
    for (let dir = dirname(path); dir !== root && isEmpty(dir); dir = dirname(dir)) rmdirSync(dir);
  }

  /** The keys after `after` that begin with the prefix, in order. Reads only folders that can have one. */
  *keys(bucket: string, prefix: string, after: string): Generator<string, void, void> {
    const folder = folderOf(prefix);
    if (folder === '' || existsSync(join(this.#data, bucket, folder)))
      yield* this.#keysIn(bucket, { prefix, after, folder });
  }

  *#keysIn(
    bucket: string,
    { prefix, after, folder }: { prefix: string; after: string; folder: string },
  ): Generator<string, void, void> {
    const suffix = `${mark}object`;
    const entries = readdirSync(join(this.#data, bucket, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) return entry.name.includes(mark) ? [] : [{ key: `${path}/`, isFolder: true }];
      return path.endsWith(suffix) ? [{ key: path.slice(0, -suffix.length), isFolder: false }] : [];
    });
    for (const { key, isFolder } of entries.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
      if (!isFolder) {
        if (key > after && key.startsWith(prefix)) yield key;
      } else if ((key > after || after.startsWith(key)) && (key.startsWith(prefix) || prefix.startsWith(key))) {
        yield* this.#keysIn(bucket, { prefix, after, folder: key });
      }
    }
  }

  requireBucket(bucket: string): void {
    if (!this.hasBucket(bucket)) throw new S3Error('NoSuchBucket', 'The bucket does not exist.');
  }
}

export const parseHeaders = (json: string): ObjectHeaders => {
  const parsed: unknown = JSON.parse(json);
  if (typeof parsed !== 'object' || parsed === null)
    throw new TypeError('The headers of an object are no JSON object.');
  return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, String(value)]));
};

export const textOf = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/** The folder in which all keys with this prefix are. The bucket, if the prefix could lead out of it. */
const folderOf = (prefix: string): string => {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const names = folder.split('/').slice(0, -1);
  return names.some((name) => ['', '.', '..'].includes(name) || name.includes(mark)) ? '' : folder;
};

const isEmpty = (dir: string): boolean => existsSync(dir) && readdirSync(dir).length === 0;
