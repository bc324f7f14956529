import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePolicy, type S3Policy } from './policy.js';

/** They survive restarts. */
export type BucketPolicies = Awaited<ReturnType<typeof bucketPolicies>>;

export const bucketPolicies = async (folder: string) => {
  const dir = join(folder, 'policies');
  await mkdir(dir, { recursive: true });
  const policies = new Map<string, S3Policy>();
  for (const file of await readdir(dir)) {
    const [, bucket] = /^(.+)\.json$/.exec(file) ?? [];
    if (bucket !== undefined) policies.set(bucket, parsePolicy(await readFile(join(dir, file), 'utf8'), bucket));
  }
  return {
    /** Empty for a bucket without a policy. */
    of: (bucket: string): S3Policy => policies.get(bucket) ?? [],
    /** Rejects with an S3Error (400) if this server does not support the policy. */
    put: async (bucket: string, text: string) => {
      const policy = parsePolicy(text, bucket);
      const path = join(dir, `${bucket}.json`);
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
      policies.set(bucket, policy);
    },
  };
};
