import { rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { readText, receiveFile } from './body.js';
import type { Call } from './call.js';
import { S3Error } from './errors.js';
import type { ObjectHeaders, StoredObject } from './object-files.js';
import { overridable } from './operations.js';
import type { Upload } from './uploads.js';
import { parseParts, sendXml } from './xml.js';

/** GET and HEAD. Conditions other than If-Range are ignored, and the answer is the object. */
export const getObject = async ({ req, res, files, bucket, key, query }: Call): Promise<void> => {
  await files.repair(bucket, key);
  const found = files.describe(bucket, key);
  if (found === undefined) throw new S3Error('NoSuchKey', 'The key does not exist.');
  const range = rangeOf(req.headers, found);
  const { start, end } = range ?? { start: 0, end: found.bytes - 1 };
  const overrides = overridable.map((name) => [name, query[`response-${name}`]] as const);
  res.writeHead(range === undefined ? 200 : 206, {
    'content-type': 'binary/octet-stream',
    ...found.headers,
    ...Object.fromEntries(overrides.filter(([, value]) => value !== undefined)),
    etag: found.etag,
    'last-modified': found.modifiedAt.toUTCString(),
    'accept-ranges': 'bytes',
    'content-length': end - start + 1,
    ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${found.bytes}` }),
  });
  if (req.method === 'HEAD' || end < start) res.end();
  else await pipeline(files.content(bucket, key, { start, end }), res);
};

/**
 * The requested bytes, both ends included. Undefined for the entire object: without a range, and as HTTP requires if
 * the range is malformed, has several parts, or names another ETag (If-Range). Throws InvalidRange if the object has
 * none of the bytes.
 */
const rangeOf = (
  { range, 'if-range': ifRange }: IncomingHttpHeaders,
  { bytes, etag }: StoredObject,
): { start: number; end: number } | undefined => {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  if (start >= bytes) throw new S3Error('InvalidRange', 'The object has none of the bytes of the range.');
  return { start, end: first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) };
};

export const putObject = async (call: Call): Promise<void> => {
  const { req, files, bucket, key } = call;
  await store(call, (path, etag) => files.put(bucket, key, { path, etag, headers: storedHeaders(req.headers) }));
};

export const deleteObject = ({ res, files, bucket, key }: Call): void => {
  files.delete(bucket, key);
  res.writeHead(204).end();
};

export const createMultipartUpload = ({ req, res, uploads, bucket, key }: Call): void => {
  const uploadId = uploads.create(bucket, key, storedHeaders(req.headers));
  sendXml(res, 200, 'InitiateMultipartUploadResult', { Bucket: bucket, Key: key, UploadId: uploadId });
};

export const uploadPart = async (call: Call): Promise<void> => {
  const part = call.query['partNumber'] ?? '';
  await store(call, (path, etag) => call.uploads.putPart(uploadOf(call), part, { path, etag }));
};

const store = async (call: Call, place: (path: string, etag: string) => void): Promise<void> => {
  const etag = await withTmpFile(call, async (path) => {
    const md5 = await receiveFile(call.req, path);
    place(path, md5);
    return md5;
  });
  call.res.writeHead(200, { etag: `"${etag}"` }).end();
};

/** 10,000 parts, each with its checksums. */
const partsBytesMax = 8 * 1_024 * 1_024;

export const completeMultipartUpload = async (call: Call): Promise<void> => {
  const { req, res, uploads, bucket, key } = call;
  const parts = parseParts(await readText(req, partsBytesMax));
  const etag = await withTmpFile(call, (path) => uploads.complete(uploadOf(call), parts, path));
  sendXml(res, 200, 'CompleteMultipartUploadResult', { Bucket: bucket, Key: key, ETag: `"${etag}"` });
};

export const abortMultipartUpload = (call: Call): void => {
  call.uploads.abort(uploadOf(call));
  call.res.writeHead(204).end();
};

const uploadOf = ({ bucket, key, query }: Call): Upload => ({ bucket, key, uploadId: query['uploadId'] ?? '' });

const withTmpFile = async ({ files }: Call, work: (path: string) => Promise<string>): Promise<string> => {
  const path = files.tmpPath();
  try {
    return await work(path);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
};

const storedHeaders = (headers: IncomingHttpHeaders): ObjectHeaders =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && (overridable.includes(name) || name.startsWith('x-amz-meta-'))
        ? [[name, value]]
        : [],
    ),
  );
