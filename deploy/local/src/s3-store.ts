import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { mkdir, open, readFile, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import S3Error from 's3rver/lib/models/error.js';
import S3Object from 's3rver/lib/models/object.js';
import FilesystemStore from 's3rver/lib/stores/filesystem.js';

type StoredHeaders = Awaited<ReturnType<FilesystemStore['getMetadata']>>;

interface Stored {
  readonly size: number;
  readonly md5: string;
}

export interface OpenUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly startedAt: Date;
}

/**
 * s3rver's own store answers a PUT before its bytes are in the file, writes into the visible object (a kill
 * leaves half of one), takes a broken-off upload for a pending one for ever, ends the process where a part
 * is missing, and reads `bytes=0-0` as the whole object. Here bytes go to `tmp` and are moved into place
 * whole, so what was answered survives `kill -9` and what was not is invisible. Nothing is fsynced: a power
 * cut on a laptop may lose the last seconds.
 */
export class AtomicStore extends FilesystemStore {
  private readonly tmp: string;

  /** @param folder holds `data` and `tmp`; what a killed run left in `tmp` is removed. */
  constructor(folder: string) {
    super(join(folder, 'data'));
    this.tmp = join(folder, 'tmp');
    rmSync(this.tmp, { recursive: true, force: true });
    mkdirSync(this.tmp, { recursive: true });
    mkdirSync(this.rootDirectory, { recursive: true });
  }

  /** An object's headers; `undefined` where there is none. */
  async describe(bucket: string, key: string): Promise<StoredHeaders | undefined> {
    return orAbsent(this.getMetadata(bucket, key));
  }

  override async getObject(
    bucket: string,
    key: string,
    options: { start?: number; end?: number } = {},
  ): Promise<S3Object | null> {
    const metadata = await this.describe(bucket, key);
    if (metadata === undefined) return null;
    const last = metadata['content-length'] - 1;
    const start = options.start ?? 0;
    const end = Math.min(options.end ?? last, last);
    const object = new S3Object(bucket, key, null, metadata);
    if (options.start !== undefined) object.range = { start, end };
    if (start <= end) {
      const handle = await open(this.getResourcePath(bucket, key, 'object'));
      object.content = handle.createReadStream({ start, end, highWaterMark: 256 * 1_024 });
    } else if (options.start === undefined) object.content = Readable.from([]);
    return object;
  }

  override async putObject(object: S3Object): Promise<Stored> {
    const path = this.tmpPath();
    try {
      const stored = await receive(object.content, path);
      await this.moveIntoPlace(object, path, stored.md5);
      return stored;
    } catch (error) {
      throw asS3Error(error);
    } finally {
      await rm(path, { force: true });
    }
  }

  override async putPart(bucket: string, uploadId: string, partNumber: string, content: Readable): Promise<Stored> {
    if (!/^[1-9]\d{0,3}$|^10000$/.test(partNumber)) {
      throw new S3Error('InvalidArgument', 'Part number must be an integer between 1 and 10000.');
    }
    const folder = this.uploadPath(bucket, uploadId);
    const path = this.tmpPath();
    try {
      await stat(folder);
      const stored = await receive(content, path);
      await rename(path, join(folder, partNumber));
      await this.writeWhole(join(folder, `${partNumber}.md5`), stored.md5);
      return stored;
    } catch (error) {
      throw isAbsent(error) ? noSuchUpload(error) : asS3Error(error);
    } finally {
      await rm(path, { force: true });
    }
  }

  override async putObjectMultipart(
    bucket: string,
    uploadId: string,
    parts: { number: number; etag: string }[],
  ): Promise<Stored> {
    const folder = this.uploadPath(bucket, uploadId);
    const path = this.tmpPath();
    try {
      const key = await readFile(join(folder, 'key'), 'utf8');
      const metadata = parseMetadata(await readFile(join(folder, 'metadata'), 'utf8'));
      const stored = await assemble(folder, parts, path);
      await this.moveIntoPlace({ bucket, key, metadata }, path, stored.md5);
      await rm(folder, { recursive: true, force: true });
      return stored;
    } catch (error) {
      throw isAbsent(error) ? noSuchUpload(error) : asS3Error(error);
    } finally {
      await rm(path, { force: true });
    }
  }

  override async putMetadata(bucket: string, key: string, metadata: S3Object.Metadata, md5?: string): Promise<void> {
    const kept = Object.entries(metadata).filter(
      ([name]) => S3Object.ALLOWED_METADATA.includes(name) || name.startsWith('x-amz-meta-'),
    );
    const path = this.getResourcePath(bucket, key, 'metadata.json');
    await this.writeWhole(path, JSON.stringify(Object.fromEntries(kept)));
    if (md5 !== undefined) await this.writeWhole(this.getResourcePath(bucket, key, 'object.md5'), md5);
  }

  /** s3rver has no AbortMultipartUpload. Rejects with NoSuchUpload where there is none of this key. */
  async abortUpload(bucket: string, key: string, uploadId: string): Promise<void> {
    const folder = this.uploadPath(bucket, uploadId);
    const stored = await orAbsent(readFile(join(folder, 'key'), 'utf8'));
    if (stored !== key) throw noSuchUpload();
    await rm(folder, { recursive: true, force: true });
  }

  /** s3rver has no ListMultipartUploads. Ordered by key, then by start. */
  async openUploads(bucket: string): Promise<OpenUpload[]> {
    const folder = this.getResourcePath(bucket, undefined, 'uploads');
    const ids = (await orAbsent(readdir(folder))) ?? [];
    const uploads = await Promise.all(
      ids.map(async (uploadId) => {
        const path = join(folder, uploadId, 'key');
        const key = await orAbsent(readFile(path, 'utf8'));
        const stats = await orAbsent(stat(path));
        return key === undefined || stats === undefined ? [] : [{ key, uploadId, startedAt: stats.mtime }];
      }),
    );
    return uploads
      .flat()
      .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : Number(a.startedAt) - Number(b.startedAt)));
  }

  /** A kill between two steps leaves the old object or the new one; a missing md5 is made again on reading. */
  private async moveIntoPlace(
    object: { bucket: string; key: string; metadata: S3Object.Metadata },
    path: string,
    md5: string,
  ): Promise<void> {
    const { bucket, key, metadata } = object;
    const target = this.getResourcePath(bucket, key, 'object');
    await mkdir(dirname(target), { recursive: true });
    await orAbsent(unlink(`${target}.md5`));
    await this.putMetadata(bucket, key, metadata);
    await rename(path, target);
    await this.writeWhole(`${target}.md5`, md5);
  }

  private async writeWhole(path: string, text: string): Promise<void> {
    const tmp = this.tmpPath();
    await writeFile(tmp, text);
    await rename(tmp, path);
  }

  private tmpPath(): string {
    return join(this.tmp, randomUUID());
  }

  private uploadPath(bucket: string, uploadId: string): string {
    if (!/^[0-9a-f]{32}$/.test(uploadId)) throw noSuchUpload();
    return join(this.getResourcePath(bucket, undefined, 'uploads'), uploadId);
  }
}

/** Small writes each cost a turn of the thread pool. */
const writeBufferBytes = 1_024 * 1_024;

/** Writes a body to a file; rejects with BadDigest when its bytes are not those that the headers announce. */
const receive = async (content: Readable | Buffer | null, path: string): Promise<Stored> => {
  const md5 = createHash('md5');
  const announced = content instanceof IncomingMessage ? content.headers : {};
  const expectedSha256 = /^[0-9a-f]{64}$/.exec(String(announced['x-amz-content-sha256']))?.[0];
  const sha256 = expectedSha256 === undefined ? undefined : createHash('sha256');
  let size = 0;
  const measure = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      md5.update(chunk);
      sha256?.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  const source = content instanceof Readable ? content : Readable.from(content === null ? [] : [content]);
  await pipeline(source, measure, createWriteStream(path, { highWaterMark: writeBufferBytes }));
  const digest = md5.digest();
  const expectedMd5 = announced['content-md5'];
  if (
    sha256?.digest('hex') !== expectedSha256 ||
    (expectedMd5 ?? digest.toString('base64')) !== digest.toString('base64')
  ) {
    throw new S3Error('BadDigest', 'The body is not the one that the headers announce.');
  }
  return { size, md5: digest.toString('hex') };
};

/** Joins the parts into one file; its ETag is S3's: the MD5 of the parts' MD5s, a dash, their number. */
const assemble = async (
  folder: string,
  parts: readonly { number: number; etag: string }[],
  path: string,
): Promise<Stored> => {
  const md5 = createHash('md5');
  let size = 0;
  for (const part of parts.toSorted((a, b) => a.number - b.number)) {
    const partPath = join(folder, String(part.number));
    if ((await orAbsent(readFile(`${partPath}.md5`, 'utf8'))) !== part.etag) {
      throw new S3Error('InvalidPart', `Part ${part.number} is missing, or is another one than its ETag says.`);
    }
    const source = createReadStream(partPath, { highWaterMark: writeBufferBytes });
    const target = createWriteStream(path, { flags: 'a', highWaterMark: 4 * writeBufferBytes });
    await pipeline(source, target);
    size += source.bytesRead;
    md5.update(part.etag, 'hex');
  }
  return { size, md5: `${md5.digest('hex')}-${parts.length}` };
};

/** The headers that s3rver stored as JSON when the upload was opened. */
const parseMetadata = (text: string): S3Object.Metadata => {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null) return {};
  return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, String(value)]));
};

const orAbsent = async <T>(promise: Promise<T>): Promise<T | undefined> => {
  try {
    return await promise;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
};

const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** A disk without room is told as one, with MinIO's status: who waits for it would wait for long. */
const asS3Error = (error: unknown): unknown => {
  const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
  if (!isFull) return error;
  const full = new S3Error('InsufficientStorage', 'There is no room left on the disk.');
  return Object.assign(full, { status: 507, cause: error });
};

const noSuchUpload = (cause?: unknown): S3Error =>
  Object.assign(new S3Error('NoSuchUpload', 'The upload does not exist; it may have been aborted or completed.'), {
    cause,
  });
