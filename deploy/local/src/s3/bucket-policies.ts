import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePolicy, type S3Policy } from './policy.js';

/** They survive restarts. */
export interface BucketPolicies {
  /** Empty for a bucket without a policy. */
  of(bucket: string): S3Policy;
  /** Rejects with an S3Error (400) if this server does not support the policy. */
  put(bucket: string, text: string): Promise<void>;
}

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
    put: async (bucket, text) => {
      const policy = parsePolicy(text, bucket);
      const path = join(dir, `${bucket}.json`);
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
      policies.set(bucket, policy);
    },
  };
};
