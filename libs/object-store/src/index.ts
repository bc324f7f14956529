export { contentDisposition } from './content-disposition.js';
export { type ObjectStoreConfig, objectStoreFromConfig, watchObjectStore } from './from-config.js';
export type { ListedObject, OpenUpload } from './list.js';
export { ObjectStoreError, type ObjectStoreFailure } from './object-store-error.js';
export {
  connectObjectStore,
  type ObjectHead,
  type ObjectStore,
  type ObjectStoreOptions,
  type PresignOptions,
  type StoredBytes,
} from './object-store.js';
export { bucketPolicy, type Grantees, objectStorePolicy, type Policy, slabsPolicy, slabsPrefix } from './policy.js';
export type { PutOptions, StoredObject } from './put-stream.js';
