import { objectStoreFromConfig } from '@almanac/object-store';
import { ConfigError, parseConfig } from '@almanac/runtime';
import { bucketConfig } from './config.js';

/**
 * Creates the bucket if it is missing, gives S3_GRANTEE the rights that export needs and S3_SLABS_GRANTEE those that
 * timeseries needs, and exits with 0, or with 1 and one line that says why. It is a separate command with a separate key, because the service's key may do neither.
 */
const main = async (): Promise<void> => {
  const config = parseConfig(bucketConfig);
  const objects = objectStoreFromConfig(config);
  try {
    const { S3_GRANTEE: all, S3_SLABS_GRANTEE: slabs } = config;
    await objects.ensureBucket(all === undefined ? undefined : { all, slabs });
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
