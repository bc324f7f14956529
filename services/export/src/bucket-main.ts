import { connectObjectStore } from '@almanac/object-store';
import { ConfigError, objectStoreVariables, parseConfig } from '@almanac/runtime';
import { z } from 'zod';

/**
 * Makes the bucket where it is missing, and ends: code 0, or 1 with one line that says why not. A command of its own,
 * since the service itself needs no right to make buckets.
 */
const main = async (): Promise<void> => {
  const config = parseConfig(z.object(objectStoreVariables));
  const objects = connectObjectStore({
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
  });
  try {
    await objects.ensureBucket();
    process.stdout.write(`The bucket ${config.S3_BUCKET} is there.\n`);
  } finally {
    objects.close();
  }
};

try {
  await main();
} catch (error) {
  const sentence = error instanceof Error ? error.message : String(error);
  process.stderr.write(error instanceof ConfigError ? `bucket: ${sentence}\n` : `No bucket: ${sentence}\n`);
  process.exitCode = 1;
}
