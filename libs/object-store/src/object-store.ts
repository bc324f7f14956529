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
import { bucketPolicy } from './policy.js';
import { putStream, unquoted, type PutOptions, type StoredObject } from './put-stream.js';
import { s3Call } from './s3-call.js';

export interface ObjectStoreOptions {
  /** Where this process reaches the store, for example `http://127.0.0.1:9000`. */
  readonly endpoint: string;
  /** Where clients reach it; default `endpoint`. A proxy there must keep the host and the path. */
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
  /** The name that a browser saves under; any characters. */
  readonly filename: string;
  readonly contentType: string;
  /** Signed for `publicUrl`, else for `endpoint`. */
  readonly public: boolean;
}

/** One bucket. Every call has a deadline and bounded retries and rejects with an ObjectStoreError. */
export interface ObjectStore {
  /**
   * Stores a stream under a key: all of it or nothing. At most 32 MiB are held in memory. An error of the
   * source, or the signal, rejects with that error or reason, destroys the source and leaves neither an object
   * nor an open upload; an object stored before under the key stays. A signal after the last byte was read
   * may come too late: the call then resolves. When the store's last answer is lost, the whole object may be
   * there although the call rejects.
   */
  putStream(key: string, source: Readable, options: PutOptions): Promise<StoredObject>;
  /** The bytes of an object as they come, within an hour; `undefined` where there is none. Half of them end in an error. */
  read(key: string): Promise<StoredBytes | undefined>;
  /** `undefined` where there is no such object. */
  head(key: string): Promise<ObjectHead | undefined>;
  /** A link that anyone may GET (not HEAD) until it expires; the object need not exist. */
  presignGet(key: string, options: PresignOptions): Promise<string>;
  /** Succeeds where there is no such object. */
  delete(key: string): Promise<void>;
  /** Rejects where the bucket does not answer, is not there or not ours. */
  check(): Promise<void>;
  /** All objects whose key begins so, by key. */
  list(prefix: string): AsyncGenerator<ListedObject, void, void>;
  /** All uploads in parts whose key begins so and that are still open. */
  openUploads(prefix: string): AsyncGenerator<OpenUpload, void, void>;
  /** Ends an upload and frees its parts; succeeds where it is gone already. */
  abandonUpload(upload: OpenUpload): Promise<void>;
  /**
   * Creates the bucket where it is missing, and gives it a policy that lets this user do all that the other calls need.
   * For a key with more rights than those calls need. Without `grantee` the policy stays as it is.
   */
  ensureBucket(grantee?: string): Promise<void>;
  /** Closes the idle connections. */
  close(): void;
}

export const connectObjectStore = (options: ObjectStoreOptions): ObjectStore => {
  const { bucket } = options;
  const client = createClient(options, options.endpoint);
  const publicClient = createClient(options, options.publicUrl ?? options.endpoint);
  const expiresMaxS = 7 * 24 * 3_600;
  return {
    putStream: async (key, source, { contentType, signal }) =>
      putStream({ client, bucket, key, contentType }, source, signal),
    read: async (key) => read(client, bucket, key),
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
    ensureBucket: async (grantee) => {
      await ensureBucket(client, bucket);
      if (grantee !== undefined) await putPolicy(client, bucket, grantee);
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
    // Five attempts with jittered back-off are about a second, time for a store to come back from a restart.
    maxAttempts: 5,
    // The signature covers the SHA-256 of every body already; the CRC trailers are what many stores do not know.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: 15_000,
      throwOnRequestTimeout: true,
      // Agents of our own: beside the handler's, large bodies go over a new connection each.
      httpAgent: new HttpAgent({ keepAlive: true, maxSockets: 32 }),
      httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets: 32 }),
    },
  });

const readMs = 3_600_000;

const read = async (client: S3Client, bucket: string, key: string): Promise<StoredBytes | undefined> => {
  const command = new GetObjectCommand({ Bucket: bucket, Key: key });
  try {
    const answer = await s3Call({ operation: 'read', deadlineMs: 30_000 }, (http) => client.send(command, http));
    if (!(answer.Body instanceof Readable)) throw new TypeError('An object came without its bytes.');
    const { ContentType: contentType, Body: body } = answer;
    return { contentType, body: addAbortSignal(AbortSignal.timeout(readMs), body) };
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

const putPolicy = async (client: S3Client, bucket: string, grantee: string): Promise<void> => {
  const command = new PutBucketPolicyCommand({ Bucket: bucket, Policy: JSON.stringify(bucketPolicy(bucket, grantee)) });
  await s3Call({ operation: 'put bucket policy', deadlineMs: 30_000 }, (http) => client.send(command, http));
};

/** Another process may have been faster. */
const createBucket = async (client: S3Client, bucket: string): Promise<void> => {
  try {
    const command = new CreateBucketCommand({ Bucket: bucket });
    await s3Call({ operation: 'create bucket', deadlineMs: 30_000 }, (http) => client.send(command, http));
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (!(cause instanceof BucketAlreadyOwnedByYou) && !(cause instanceof BucketAlreadyExists)) throw error;
  }
};
