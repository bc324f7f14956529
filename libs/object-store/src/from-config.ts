import { type Runtime, serverCertificate, watchCertificates } from '@almanac/runtime';
import { connectObjectStore, type ObjectStore } from './object-store.js';

export interface ObjectStoreConfig {
  readonly S3_ENDPOINT: string;
  readonly S3_PUBLIC_URL?: string | undefined;
  readonly S3_REGION: string;
  readonly S3_BUCKET: string;
  readonly S3_ACCESS_KEY_ID: string;
  readonly S3_SECRET_ACCESS_KEY: string;
}

export const objectStoreFromConfig = (config: ObjectStoreConfig): ObjectStore =>
  connectObjectStore({
    endpoint: config.S3_ENDPOINT,
    ...(config.S3_PUBLIC_URL === undefined ? {} : { publicUrl: config.S3_PUBLIC_URL }),
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
  });

/** Watches the certificates of the object store, and of the address that clients download from. */
export const watchObjectStore = (
  { S3_ENDPOINT: endpoint, S3_PUBLIC_URL: publicUrl }: ObjectStoreConfig,
  runtime: Pick<Runtime, 'health' | 'log'>,
): void =>
  watchCertificates(
    'object_store',
    {
      ...serverCertificate('object store', endpoint),
      ...(publicUrl === undefined ? {} : serverCertificate('S3_PUBLIC_URL', publicUrl)),
    },
    runtime,
  );
