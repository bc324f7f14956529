import { objectStoreFromConfig } from '@almanac/object-store';
import { ConfigError, parseConfig } from '@almanac/runtime';
import { bucketConfig } from './config.js';

/**
 * Makes the bucket where it is missing, gives it a policy that lets S3_GRANTEE do what the service needs, and ends: code
 * 0, or 1 with one line that says why not. A command of its own, with a key of its own: the service's may do neither.
 */
const main = async (): Promise<void> => {
  const config = parseConfig(bucketConfig);
  const objects = objectStoreFromConfig(config);
  try {
    await objects.ensureBucket(config.S3_GRANTEE);
    process.stdout.write(`The bucket ${config.S3_BUCKET} is ready.\n`);
  } finally {
    objects.close();
  }
};

try {
  await main();
} catch (error) {
  const sentence = error instanceof Error ? error.message : String(error);
  process.stderr.write(
    error instanceof ConfigError ? `bucket: ${sentence}\n` : `The bucket could not be prepared: ${sentence}\n`,
  );
  process.exitCode = 1;
}
