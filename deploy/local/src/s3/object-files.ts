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
  /** Those that it was stored with. */
  readonly headers: ObjectHeaders;
}

const mark = '._S3rver_';

/**
 * Buckets and their objects as files, in the layout of the s3rver package, so that folders made with it still open:
 *
 *     data/<bucket>/<key>._S3rver_object         the bytes; beside them `.md5`, the ETag without quotes
 *     data/<bucket>/<key>._S3rver_metadata.json  the headers
 *     data/<bucket>/._S3rver_uploads/<id>/       an upload in parts, see uploads.ts
 *     tmp/                                       what is being written
 *
 * Bytes go to `tmp` and are renamed into place, so what was answered survives `kill -9` and what was not is invisible.
 * Nothing is fsynced: a power cut may lose the last seconds. The steps that put an object in place or describe it are
 * synchronous, so that no other request comes between them.
 */
export class ObjectFiles {
  readonly #data: string;
  readonly #tmp: string;

  /** @param folder holds `data` and `tmp`; what a killed run left in `tmp` is removed. */
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

  /** The path of an object, or of another of its files. */
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

  /** The bytes from one to another, both included. The stream closes the file. */
  content(bucket: string, key: string, { start, end }: { start: number; end: number }): ReadStream {
    const path = this.path(bucket, key);
    return createReadStream(path, { fd: openSync(path, 'r'), start, end, highWaterMark: 256 * 1_024 });
  }

  /** Moves the file into the place of an object. A kill between the steps leaves the old bytes or the new ones. */
  put(bucket: string, key: string, stored: { path: string; etag: string; headers: ObjectHeaders }): void {
    this.requireBucket(bucket);
    const target = this.path(bucket, key);
    mkdirSync(dirname(target), { recursive: true });
    this.writeWhole(this.path(bucket, key, 'metadata.json'), JSON.stringify(stored.headers));
    this.place(stored.path, target, stored.etag);
  }

  /** Without the ETag of the bytes before: after a kill there is none or the right one. */
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

  /** Makes the ETag that a kill may have left unwritten. */
  async repair(bucket: string, key: string): Promise<void> {
    const path = this.path(bucket, key);
    const isBroken = (): boolean => existsSync(path) && !existsSync(`${path}.md5`);
    if (!isBroken()) return;
    const md5 = createHash('md5');
    await pipeline(createReadStream(path), md5);
    if (isBroken()) this.writeWhole(`${path}.md5`, md5.digest('hex'));
  }

  /** Removes the folders that the object leaves empty, too. */
  delete(bucket: string, key: string): void {
    const path = this.path(bucket, key);
    for (const file of [path, `${path}.md5`, this.path(bucket, key, 'metadata.json')]) rmSync(file, { force: true });
    const root = join(this.#data, bucket);
    for (let dir = dirname(path); dir !== root && isEmpty(dir); dir = dirname(dir)) rmdirSync(dir);
  }

  /** The keys after `after` that begin with the prefix, in order. */
  *keys(bucket: string, prefix: string, after: string, folder = ''): Generator<string, void, void> {
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
        yield* this.keys(bucket, prefix, after, key);
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

const isEmpty = (dir: string): boolean => existsSync(dir) && readdirSync(dir).length === 0;
