import { randomUUID } from 'node:crypto';
import { connectObjectStore, type ObjectStore } from '@almanac/object-store';
import { testS3, type TestS3 } from '@almanac/testing';

/** An object store with the bucket and the key of the service. */
export interface StoreFixture<Store extends TestS3 = TestS3> {
  readonly s3: Store;
  readonly objects: ObjectStore;
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export const startStore = (): Promise<StoreFixture> => startStoreOn(testS3);

export const startStoreOn = async <Store extends TestS3>(
  startS3: (options: Parameters<typeof testS3>[0]) => Promise<Store>,
): Promise<StoreFixture<Store>> => {
  const key = { accessKeyId: 'export', secretAccessKey: randomUUID() };
  const s3 = await startS3({ users: [key] });
  const store = { endpoint: s3.url, region: 'us-east-1', bucket: s3.bucket };
  const root = connectObjectStore({ ...store, ...s3 });
  await root.ensureBucket({ all: key.accessKeyId });
  root.close();
  const objects = connectObjectStore({ ...store, ...key });
  return {
    s3,
    objects,
    environment: {
      S3_ENDPOINT: s3.url,
      S3_BUCKET: s3.bucket,
      S3_ACCESS_KEY_ID: key.accessKeyId,
      S3_SECRET_ACCESS_KEY: key.secretAccessKey,
    },
    stop: async () => {
      objects.close();
      await s3.stop();
    },
  };
};
