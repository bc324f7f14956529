import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import S3Error from 's3rver/lib/models/error.js';
import { parsePolicy, type S3Policy } from './s3-policy.js';

/** The policies of buckets, kept over a restart. */
export interface BucketPolicies {
  /** Of a bucket without one: none of its statements. */
  of(bucket: string): S3Policy;
  /** Keeps the body of a request as the bucket's policy. Rejects with an S3Error (400) where it cannot be. */
  put(bucket: string, req: IncomingMessage): Promise<void>;
}

/** S3's own limit. */
const bytesMax = 20 * 1_024;

export const bucketPolicies = async (folder: string): Promise<BucketPolicies> => {
  const dir = join(folder, 'policies');
  await mkdir(dir, { recursive: true });
  const policies = new Map<string, S3Policy>();
  for (const file of await readdir(dir)) {
    const [, bucket] = /^(.+)\.json$/.exec(file) ?? [];
    if (bucket !== undefined) policies.set(bucket, parsePolicy(await readFile(join(dir, file), 'utf8'), bucket));
  }
  return {
    of: (bucket) => policies.get(bucket) ?? [],
    put: async (bucket, req) => {
      const text = await bodyOf(req);
      const policy = parsePolicy(text, bucket);
      const path = join(dir, `${bucket}.json`);
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
      policies.set(bucket, policy);
    },
  };
};

/** The signature covers the body's hash alone, so the hash must be that of the body. */
const bodyOf = async (req: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw new S3Error('EntityTooLarge', 'A policy has 20 KiB at most.');
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (createHash('sha256').update(body).digest('hex') !== req.headers['x-amz-content-sha256']) {
    throw new S3Error('BadDigest', 'The body is not the one that the headers announce.');
  }
  return body.toString('utf8');
};
