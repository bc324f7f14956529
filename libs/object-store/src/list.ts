import {
  AbortMultipartUploadCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  NoSuchUpload,
  type S3Client,
} from '@aws-sdk/client-s3';
import { s3Call } from './s3-call.js';

export interface ListedObject {
  readonly key: string;
  /** Time of storage. For a multipart object this may be the start of its upload. */
  readonly modifiedAt: Date;
  readonly bytes: number | undefined;
  /** Without quotes. Other bytes under the key have another one. */
  readonly etag: string | undefined;
}

/** A multipart upload that was neither completed nor aborted. */
export interface OpenUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly startedAt: Date;
}

interface Bucket {
  readonly client: S3Client;
  readonly bucket: string;
}

const deadlineMs = 30_000;

export const check = async ({ client, bucket }: Bucket): Promise<void> => {
  const command = new HeadBucketCommand({ Bucket: bucket });
  await s3Call({ operation: 'check', deadlineMs }, (http) => client.send(command, http));
};

export async function* list(
  { client, bucket }: Bucket,
  prefix: string,
  pageMax = 1_000,
): AsyncGenerator<ListedObject, void, void> {
  let after: string | undefined;
  do {
    const command = new ListObjectsCommand({ Bucket: bucket, Prefix: prefix, MaxKeys: pageMax, Marker: after });
    const page = await s3Call({ operation: 'list', deadlineMs }, (http) => client.send(command, http));
    for (const { Key: key, LastModified: modifiedAt, Size: bytes, ETag: etag } of page.Contents ?? []) {
      if (key === undefined || modifiedAt === undefined) continue;
      yield { key, modifiedAt, bytes, etag: etag?.replaceAll('"', '') };
    }
    after = page.IsTruncated === true ? page.Contents?.at(-1)?.Key : undefined;
  } while (after !== undefined);
}

/** A store without support for prefixes yields other uploads too. */
export async function* openUploads({ client, bucket }: Bucket, prefix: string): AsyncGenerator<OpenUpload, void, void> {
  let after: { KeyMarker: string | undefined; UploadIdMarker: string | undefined } | undefined;
  do {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...after });
    const page = await s3Call({ operation: 'list uploads', deadlineMs }, (http) => client.send(command, http));
    for (const { Key: key, UploadId: uploadId, Initiated: startedAt } of page.Uploads ?? []) {
      if (key === undefined || uploadId === undefined || startedAt === undefined) continue;
      if (key.startsWith(prefix)) yield { key, uploadId, startedAt };
    }
    const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
    after = page.IsTruncated === true ? { KeyMarker, UploadIdMarker } : undefined;
  } while (after !== undefined);
}

export const abandonUpload = async ({ client, bucket }: Bucket, { key, uploadId }: OpenUpload): Promise<void> => {
  const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId });
  try {
    await s3Call({ operation: 'abandon upload', deadlineMs }, (http) => client.send(command, http));
  } catch (error) {
    if (!(error instanceof Error && error.cause instanceof NoSuchUpload)) throw error;
  }
};
