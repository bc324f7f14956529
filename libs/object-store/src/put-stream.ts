import { addAbortSignal, type Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  NoSuchUpload,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3';
import { ObjectStoreError } from './object-store-error.js';
import { partsOf, type Part } from './multipart.js';
import { s3Call } from './s3-call.js';

export interface PutOptions {
  readonly contentType: string;
  /** Of the whole object, if it is known. Without it, an object has at most 58 GiB. */
  readonly bytes?: number;
  /** Stops the upload. putStream then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface StoredObject {
  readonly bytes: number;
  /** The store's ETag without quotes. Not an MD5 of the object. */
  readonly etag: string;
}

interface Target {
  readonly client: S3Client;
  readonly bucket: string;
  readonly key: string;
  readonly contentType: string;
  readonly bytes?: number | undefined;
}

const partBytesMin = 6 * 1_024 * 1_024;
const partsInFlightMax = 3;
/** S3's limit: 58 GiB per object at our smallest part size. */
const partsMax = 10_000;

/** A larger object has larger parts, of which four are in memory. */
export const partBytesOf = (bytes = 0): number => Math.max(partBytesMin, Math.ceil(bytes / partsMax));

export const putStream = async (
  target: Target,
  source: Readable,
  signal: AbortSignal | undefined,
): Promise<StoredObject> => {
  // Fails the source together with the upload, so that neither waits for the other.
  const failed = new AbortController();
  const stop = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  try {
    stop.throwIfAborted();
    addAbortSignal(stop, source);
    const parts = partsOf(source, partBytesOf(target.bytes));
    const first = await parts.next();
    if (first.done === true) throw new TypeError('partsOf ended without a last part');
    stop.throwIfAborted();
    if (first.value.last) return await putSingle(target, first.value.data);
    return await putParts(target, { first: first.value, rest: parts, stop, failed });
  } catch (error) {
    failed.abort(error);
    source.destroy();
    // After an abort, the source's error only says that it was destroyed.
    signal?.throwIfAborted();
    throw error;
  }
};

/** Not aborted by the signal: after an interrupted request it would be unknown whether the object is stored. */
const putSingle = async ({ client, bucket, key, contentType }: Target, data: Buffer): Promise<StoredObject> => {
  const command = new PutObjectCommand({ Bucket: bucket, Key: key, Body: data, ContentType: contentType });
  const { ETag } = await s3Call({ operation: 'put', deadlineMs: 60_000 }, (http) => client.send(command, http));
  return { bytes: data.length, etag: unquoted(ETag) };
};

interface PartStream {
  readonly first: Part;
  readonly rest: AsyncGenerator<Part, void, void>;
  readonly stop: AbortSignal;
  readonly failed: AbortController;
}

const putParts = async (target: Target, parts: PartStream): Promise<StoredObject> => {
  const uploadId = await open(target);
  try {
    const uploaded = await sendParts(target, uploadId, parts);
    parts.stop.throwIfAborted();
    const etag = await complete(target, uploadId, uploaded.parts);
    return { bytes: uploaded.bytes, etag };
  } catch (error) {
    await abandon(target, uploadId, error);
    throw error;
  }
};

/** Not aborted by the signal: an upload with an unknown id could not be removed. */
const open = async ({ client, bucket, key, contentType }: Target): Promise<string> => {
  const command = new CreateMultipartUploadCommand({ Bucket: bucket, Key: key, ContentType: contentType });
  const call = { operation: 'open upload', deadlineMs: 60_000 };
  const { UploadId } = await s3Call(call, (http) => client.send(command, http));
  if (UploadId === undefined) throw new ObjectStoreError('rejected', call.operation, { detail: 'no upload id' });
  return UploadId;
};

const sendParts = async (
  target: Target,
  uploadId: string,
  { first, rest, stop, failed }: PartStream,
): Promise<{ parts: CompletedPart[]; bytes: number }> => {
  const sent: CompletedPart[] = [];
  const inFlight = new Set<Promise<void>>();
  let bytes = 0;
  const send = async (part: Part): Promise<void> => {
    try {
      sent.push(await sendPart(target, uploadId, part, stop));
      part.release();
    } catch (error) {
      failed.abort(error);
    }
  };
  const start = async (part: Part): Promise<void> => {
    bytes += part.data.length;
    const sending = send(part).finally(() => inFlight.delete(sending));
    inFlight.add(sending);
    if (inFlight.size >= partsInFlightMax) await Promise.race(inFlight);
    failed.signal.throwIfAborted();
  };
  try {
    await start(first);
    for await (const part of rest) await start(part);
  } finally {
    // No part may arrive after the upload is completed or aborted.
    await Promise.all(inFlight);
  }
  failed.signal.throwIfAborted();
  return { parts: sent.toSorted((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0)), bytes };
};

const sendPart = async (
  { client, bucket, key }: Target,
  uploadId: string,
  part: Part,
  signal: AbortSignal,
): Promise<CompletedPart> => {
  const operation = `upload part ${part.number}`;
  if (part.number > partsMax) throw new ObjectStoreError('rejected', operation, { detail: 'the object is too large' });
  const command = new UploadPartCommand({
    Bucket: bucket,
    Key: key,
    UploadId: uploadId,
    PartNumber: part.number,
    Body: part.data,
  });
  const { ETag } = await s3Call({ operation, deadlineMs: 60_000, attemptMs: 30_000, signal }, (http) =>
    client.send(command, http),
  );
  return { PartNumber: part.number, ETag };
};

/** The store may need minutes to join many parts. From here on an abort comes too late. */
const complete = async ({ client, bucket, key }: Target, uploadId: string, parts: CompletedPart[]): Promise<string> => {
  const command = new CompleteMultipartUploadCommand({
    Bucket: bucket,
    Key: key,
    UploadId: uploadId,
    MultipartUpload: { Parts: parts },
  });
  const call = { operation: 'complete upload', deadlineMs: 600_000, attemptMs: 300_000 };
  return unquoted((await s3Call(call, (http) => client.send(command, http))).ETag);
};

const abandon = async ({ client, bucket, key }: Target, uploadId: string, error: unknown): Promise<void> => {
  const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId });
  const operation = 'abandon upload';
  try {
    await s3Call({ operation, deadlineMs: 30_000 }, (http) => client.send(command, http));
  } catch (cleanupError) {
    // The upload does not exist: a request with a lost answer completed it, or someone else aborted it.
    if (cleanupError instanceof Error && cleanupError.cause instanceof NoSuchUpload) return;
    throw new ObjectStoreError('left_open', operation, { cause: new AggregateError([error, cleanupError]) });
  }
};

export const unquoted = (etag: string | undefined): string => (etag ?? '').replaceAll('"', '');
