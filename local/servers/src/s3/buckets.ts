import { readText } from './body.js';
import type { Call } from './call.js';
import { S3Error } from './errors.js';
import { sendXml } from './xml.js';

export const listBuckets = ({ res, files }: Call): void => {
  sendXml(res, 200, 'ListAllMyBucketsResult', { Buckets: { Bucket: files.buckets().map((Name) => ({ Name })) } });
};

export const createBucket = ({ res, files, bucket }: Call): void => {
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new S3Error('InvalidBucketName', 'A bucket has 3 to 63 lower-case letters, digits, dots and hyphens.');
  }
  if (files.hasBucket(bucket)) throw new S3Error('BucketAlreadyExists', 'The bucket exists already.');
  files.createBucket(bucket);
  res.writeHead(200, { location: `/${bucket}` }).end();
};

export const putBucketPolicy = async ({ req, res, policies, bucket }: Call): Promise<void> => {
  // S3's own limit.
  await policies.put(bucket, await readText(req, 20 * 1_024));
  res.writeHead(204).end();
};

/** ListObjects version 1: a page after `marker`. */
export const listObjects = async ({ res, files, bucket, query }: Call): Promise<void> => {
  const { prefix = '', marker = '', 'max-keys': max = '1000' } = query;
  if (!/^\d{1,10}$/.test(max)) throw new S3Error('InvalidArgument', 'max-keys is not a whole number.');
  const pageMax = Math.min(1_000, Number(max));
  const keys: string[] = [];
  for (const key of files.keys(bucket, prefix, marker)) {
    if (keys.push(key) > pageMax) break;
  }
  const Contents = [];
  for (const key of keys.slice(0, pageMax)) {
    await files.repair(bucket, key);
    const found = files.describe(bucket, key);
    if (found === undefined) continue;
    Contents.push({ Key: key, LastModified: found.modifiedAt.toISOString(), ETag: found.etag, Size: found.bytes });
  }
  const IsTruncated = pageMax > 0 && keys.length > pageMax;
  const head = { Name: bucket, Prefix: prefix, Marker: marker, MaxKeys: pageMax, IsTruncated };
  sendXml(res, 200, 'ListBucketResult', { ...head, Contents });
};

export const listMultipartUploads = ({ res, uploads, bucket, query }: Call): void => {
  const { prefix = '' } = query;
  const Upload = uploads.list(bucket, prefix).map(({ key, uploadId, startedAt }) => ({
    Key: key,
    UploadId: uploadId,
    Initiated: startedAt.toISOString(),
  }));
  sendXml(res, 200, 'ListMultipartUploadsResult', { Bucket: bucket, Prefix: prefix, IsTruncated: false, Upload });
};
