import { createHash, randomUUID } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { S3Error } from './errors.js';
import { parseHeaders, textOf, type ObjectFiles, type ObjectHeaders } from './object-files.js';
import type { CompletedPart } from './xml.js';

export interface Upload {
  readonly bucket: string;
  readonly key: string;
  readonly uploadId: string;
}

const readBytes = 1_024 * 1_024;

/** Multipart uploads. Each has a folder: `key`, `metadata` (headers), `<number>` and `<number>.md5` per part. */
export class Uploads {
  constructor(readonly files: ObjectFiles) {}

  /** Fills the folder before it becomes visible. */
  create(bucket: string, key: string, headers: ObjectHeaders): string {
    const uploadId = randomUUID().replaceAll('-', '');
    const tmp = this.files.tmpPath();
    mkdirSync(tmp);
    writeFileSync(join(tmp, 'key'), key);
    writeFileSync(join(tmp, 'metadata'), JSON.stringify(headers));
    const folder = this.#folderOf(bucket);
    mkdirSync(folder, { recursive: true });
    renameSync(tmp, join(folder, uploadId));
    return uploadId;
  }

  putPart(upload: Upload, part: string, stored: { path: string; etag: string }): void {
    if (!/^[1-9]\d{0,3}$|^10000$/.test(part)) {
      throw new S3Error('InvalidArgument', 'Part number must be an integer between 1 and 10000.');
    }
    this.files.place(stored.path, join(this.require(upload), part), stored.etag);
  }

  /** Joins the parts into the file and makes it an object. Resolves with its ETag. */
  async complete(upload: Upload, parts: readonly CompletedPart[], path: string): Promise<string> {
    const folder = this.require(upload);
    const headers = parseHeaders(textOf(join(folder, 'metadata')) ?? '{}');
    const etag = await joinParts(folder, parts, path);
    this.require(upload);
    this.files.put(upload.bucket, upload.key, { path, etag, headers });
    rmSync(folder, { recursive: true, force: true });
    return etag;
  }

  abort(upload: Upload): void {
    rmSync(this.require(upload), { recursive: true, force: true });
  }

  /** Sorted by key, then by start. */
  list(bucket: string, prefix: string): { key: string; uploadId: string; startedAt: Date }[] {
    const folder = this.#folderOf(bucket);
    const uploads = (existsSync(folder) ? readdirSync(folder) : []).flatMap((uploadId) => {
      const path = join(folder, uploadId, 'key');
      const key = textOf(path);
      return key?.startsWith(prefix) === true ? [{ key, uploadId, startedAt: statSync(path).mtime }] : [];
    });
    return uploads.toSorted((a, b) =>
      a.key === b.key ? Number(a.startedAt) - Number(b.startedAt) : a.key < b.key ? -1 : 1,
    );
  }

  /** The folder of an open upload. Throws NoSuchUpload if this key has no such upload. */
  require({ bucket, key, uploadId }: Upload): string {
    const folder = join(this.#folderOf(bucket), uploadId);
    if (!/^[0-9a-f]{32}$/.test(uploadId) || textOf(join(folder, 'key')) !== key) {
      throw new S3Error('NoSuchUpload', 'The upload does not exist; it may have been aborted or completed.');
    }
    return folder;
  }

  #folderOf(bucket: string): string {
    return this.files.path(bucket, '', 'uploads');
  }
}

/** The ETag is S3's: the MD5 of the parts' MD5s, a dash, and the number of parts. */
const joinParts = async (folder: string, parts: readonly CompletedPart[], path: string): Promise<string> => {
  const md5 = createHash('md5');
  const file = await open(path, 'wx');
  try {
    for (const { number, etag } of parts.toSorted((a, b) => a.number - b.number)) {
      const part = join(folder, String(number));
      if (textOf(`${part}.md5`) !== etag) {
        throw new S3Error('InvalidPart', `Part ${number} is missing, or is another one than its ETag says.`);
      }
      await writeFile(file, createReadStream(part, { highWaterMark: readBytes }));
      md5.update(etag, 'hex');
    }
  } finally {
    await file.close();
  }
  return `${md5.digest('hex')}-${parts.length}`;
};
