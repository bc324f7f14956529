import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { addAbortSignal, Readable } from 'node:stream';
import {
  CreateBucketCommand,
  BucketAlreadyExists,
  BucketAlreadyOwnedByYou,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutBucketPolicyCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { contentDisposition } from './content-disposition.js';
import { abandonUpload, check, list, type ListedObject, openUploads, type OpenUpload } from './list.js';
import { ObjectStoreError } from './object-store-error.js';
import { bucketPolicy, type Grantees } from './policy.js';
import { putStream, unquoted, type PutOptions, type StoredObject } from './put-stream.js';
import { s3Call } from './s3-call.js';

export interface ObjectStoreOptions {
  /** The store's address for this process, for example `http://127.0.0.1:9000`. */
  readonly endpoint: string;
  /** The store's address for clients. Default: `endpoint`. A proxy at this address must not change host or path. */
  readonly publicUrl?: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface ObjectHead extends StoredObject {
  readonly contentType: string | undefined;
  readonly modifiedAt: Date | undefined;
}

export interface StoredBytes {
  readonly contentType: string | undefined;
  readonly body: Readable;
}

export interface PresignOptions {
  /** 1 to 604,800 (seven days). */
  readonly expiresInS: number;
  /** The name under which a browser saves the file. Any characters. */
  readonly filename: string;
  readonly contentType: string;
  /** Whether to sign for `publicUrl` instead of `endpoint`. */
  readonly public: boolean;
}

/** A client for one bucket. Every call has a deadline and limited retries, and rejects with an ObjectStoreError. */
export interface ObjectStore {
  /**
   * Stores a stream under a key, completely or not at all, with at most 32 MiB in memory up to 58 GiB. An error of the source or an
   * abort rejects with that reason, destroys the source and changes nothing. An abort after the last byte may come too
   * late: the call then resolves. If the store's last answer is lost, the object may exist although the call rejects.
   */
  putStream(key: string, source: Readable, options: PutOptions): Promise<StoredObject>;
  /**
   * Streams an object; `undefined` if it is missing. An incomplete read ends with an error. `deadlineMs` is until the first byte,
   * 30,000 by default, and `bodyMs` until the last one, an hour by default.
   */
  read(
    key: string,
    options?: { readonly deadlineMs?: number; readonly bodyMs?: number },
  ): Promise<StoredBytes | undefined>;
  head(key: string): Promise<ObjectHead | undefined>;
  /** A link for GET (not HEAD) without credentials until it expires. The object need not exist. */
  presignGet(key: string, options: PresignOptions): Promise<string>;
  /** Succeeds if the object does not exist. */
  delete(key: string): Promise<void>;
  /** Rejects if the bucket is unreachable, missing or not accessible. */
  check(): Promise<void>;
  /** All objects with this key prefix, by key. */
  list(prefix: string): AsyncGenerator<ListedObject, void, void>;
  /** All open multipart uploads with this key prefix. */
  openUploads(prefix: string): AsyncGenerator<OpenUpload, void, void>;
  /** Aborts an upload and frees its parts. Succeeds if it does not exist. */
  abandonUpload(upload: OpenUpload): Promise<void>;
  /**
   * Creates the bucket if it is missing, and gives it a policy for `grantees`. This call needs more rights than the
   * policy has. Without `grantees` the policy does not change.
   */
  ensureBucket(grantees?: Grantees): Promise<void>;
  close(): void;
}

export const connectObjectStore = (options: ObjectStoreOptions): ObjectStore => {
  const { bucket } = options;
  const client = createClient(options, options.endpoint);
  const publicClient = createClient(options, options.publicUrl ?? options.endpoint);
  const expiresMaxS = 7 * 24 * 3_600;
  return {
    putStream: async (key, source, { contentType, bytes, signal }) =>
      putStream({ client, bucket, key, contentType, bytes }, source, signal),
    read: async (key, { deadlineMs = 30_000, bodyMs = bodyMsDefault } = {}) =>
      read(client, { bucket, key, deadlineMs, bodyMs }),
    head: async (key) => head(client, bucket, key),
    presignGet: async (key, link) => {
      if (!Number.isInteger(link.expiresInS) || link.expiresInS < 1 || link.expiresInS > expiresMaxS) {
        throw new RangeError(`A link lives 1 to ${expiresMaxS} seconds, not ${link.expiresInS}.`);
      }
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: key,
        ResponseContentDisposition: contentDisposition(link.filename),
        ResponseContentType: link.contentType,
      });
      return getSignedUrl(link.public ? publicClient : client, command, { expiresIn: link.expiresInS });
    },
    delete: async (key) => {
      const command = new DeleteObjectCommand({ Bucket: bucket, Key: key });
      await s3Call({ operation: 'delete', deadlineMs: 30_000 }, (http) => client.send(command, http));
    },
    check: async () => check({ client, bucket }),
    list: (prefix) => list({ client, bucket }, prefix),
    openUploads: (prefix) => openUploads({ client, bucket }, prefix),
    abandonUpload: async (upload) => abandonUpload({ client, bucket }, upload),
    ensureBucket: async (grantees) => {
      await ensureBucket(client, bucket);
      if (grantees !== undefined) await putPolicy(client, bucket, grantees);
    },
    close: () => {
      client.destroy();
      publicClient.destroy();
    },
  };
};

const createClient = (options: ObjectStoreOptions, endpoint: string): S3Client =>
  new S3Client({
    endpoint,
    region: options.region,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    forcePathStyle: true,
    // Five attempts with jittered back-off take about a second, enough for a restart of the store.
    maxAttempts: 5,
    // The signature already covers the SHA-256 of every body, and many stores do not support CRC trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: 15_000,
      throwOnRequestTimeout: true,
      // With the handler's default agents, each large body uses a new connection.
      httpAgent: new HttpAgent({ keepAlive: true, maxSockets: 32 }),
      httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets: 32 }),
    },
  });

const bodyMsDefault = 3_600_000;

const read = async (
  client: S3Client,
  {
    bucket,
    key,
    deadlineMs,
    bodyMs,
  }: { readonly bucket: string; readonly key: string; readonly deadlineMs: number; readonly bodyMs: number },
): Promise<StoredBytes | undefined> => {
  const command = new GetObjectCommand({ Bucket: bucket, Key: key });
  try {
    const answer = await s3Call({ operation: 'read', deadlineMs }, (http) => client.send(command, http));
    if (!(answer.Body instanceof Readable)) throw new TypeError('An object came without its bytes.');
    const { ContentType: contentType, Body: body } = answer;
    return { contentType, body: addAbortSignal(AbortSignal.timeout(bodyMs), body) };
  } catch (error) {
    if (error instanceof ObjectStoreError && error.failure === 'not_found') return undefined;
    throw error;
  }
};

const head = async (client: S3Client, bucket: string, key: string): Promise<ObjectHead | undefined> => {
  const command = new HeadObjectCommand({ Bucket: bucket, Key: key });
  try {
    const answer = await s3Call({ operation: 'head', deadlineMs: 30_000 }, (http) => client.send(command, http));
    return {
      bytes: answer.ContentLength ?? 0,
      etag: unquoted(answer.ETag),
      contentType: answer.ContentType,
      modifiedAt: answer.LastModified,
    };
  } catch (error) {
    if (error instanceof ObjectStoreError && error.failure === 'not_found') return undefined;
    throw error;
  }
};

const ensureBucket = async (client: S3Client, bucket: string): Promise<void> => {
  const call = { operation: 'ensure bucket', deadlineMs: 30_000 };
  try {
    await s3Call(call, (http) => client.send(new HeadBucketCommand({ Bucket: bucket }), http));
  } catch (error) {
    if (!(error instanceof ObjectStoreError) || error.failure !== 'not_found') throw error;
    await createBucket(client, bucket);
  }
};

const putPolicy = async (client: S3Client, bucket: string, grantees: Grantees): Promise<void> => {
  const command = new PutBucketPolicyCommand({
    Bucket: bucket,
    Policy: JSON.stringify(bucketPolicy(bucket, grantees)),
  });
  await s3Call({ operation: 'put bucket policy', deadlineMs: 30_000 }, (http) => client.send(command, http));
};

/** Another process may create it at the same time. */
const createBucket = async (client: S3Client, bucket: string): Promise<void> => {
  try {
    const command = new CreateBucketCommand({ Bucket: bucket });
    await s3Call({ operation: 'create bucket', deadlineMs: 30_000 }, (http) => client.send(command, http));
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (!(cause instanceof BucketAlreadyOwnedByYou) && !(cause instanceof BucketAlreadyExists)) throw error;
  }
};
