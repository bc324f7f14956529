import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetBucketAclCommand,
  GetBucketPolicyCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectVersionsCommand,
  PutBucketAclCommand,
  PutBucketPolicyCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';

type Attempt = readonly [name: string, (client: S3Client) => Promise<unknown>];

const Body = 'x';

export const ofObject = (Bucket: string, Key: string): readonly Attempt[] => [
  ['PutObject', (client) => client.send(new PutObjectCommand({ Bucket, Key, Body }))],
  ['HeadObject', (client) => client.send(new HeadObjectCommand({ Bucket, Key }))],
  ['GetObject', (client) => client.send(new GetObjectCommand({ Bucket, Key }))],
  ['DeleteObject', (client) => client.send(new DeleteObjectCommand({ Bucket, Key }))],
];

/** Requests that work in the service's own bucket, and in no other. */
export const inBucket = (Bucket: string): readonly Attempt[] => [
  ['HeadBucket', (client) => client.send(new HeadBucketCommand({ Bucket }))],
  ['ListObjects', (client) => client.send(new ListObjectsCommand({ Bucket }))],
  ['ListMultipartUploads', (client) => client.send(new ListMultipartUploadsCommand({ Bucket }))],
  ...ofObject(Bucket, 'there'),
];

/** Requests that no service may send for any bucket, including its own. */
export const nowhere = (Bucket: string, policy: string): readonly Attempt[] => [
  ['CreateBucket', (client) => client.send(new CreateBucketCommand({ Bucket }))],
  ['DeleteBucket', (client) => client.send(new DeleteBucketCommand({ Bucket }))],
  ['GetBucketPolicy', (client) => client.send(new GetBucketPolicyCommand({ Bucket }))],
  ['PutBucketPolicy', (client) => client.send(new PutBucketPolicyCommand({ Bucket, Policy: policy }))],
  ['GetBucketAcl', (client) => client.send(new GetBucketAclCommand({ Bucket }))],
  ['PutBucketAcl', (client) => client.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read' }))],
  ['ListObjectVersions', (client) => client.send(new ListObjectVersionsCommand({ Bucket }))],
  ['GetObjectAcl', (client) => client.send(new GetObjectAclCommand({ Bucket, Key: 'there' }))],
  ['PutObjectAcl', (client) => client.send(new PutObjectAclCommand({ Bucket, Key: 'there', ACL: 'public-read' }))],
  [
    'PutObjectTagging',
    (client) => client.send(new PutObjectTaggingCommand({ Bucket, Key: 'there', Tagging: { TagSet: [] } })),
  ],
];

/** The buckets that a key sees: a store may refuse the request, or list only the key's own. */
export const seenBuckets = async (client: S3Client): Promise<string[]> => {
  try {
    const { Buckets = [] } = await client.send(new ListBucketsCommand({}));
    return Buckets.map(({ Name = '' }) => Name);
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 403) return [];
    throw error;
  }
};

/** Whether the store refused the request for a missing permission. Throws any other failure. */
export const isRefused = async ([name, attempt]: Attempt, client: S3Client): Promise<boolean> => {
  try {
    await attempt(client);
    return false;
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 403) return true;
    throw new Error(name, { cause: error });
  }
};
