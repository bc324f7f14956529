import { objectStorePolicy } from '@almanac/object-store';
import { bucket } from '../infrastructure.js';

/** The policy of the export service's key, for the bucket name of all examples. */
export const s3PolicyFile = (): string => `${JSON.stringify(objectStorePolicy(bucket), undefined, 2)}\n`;
