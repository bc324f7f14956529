import { objectStorePolicy } from '@almanac/object-store';
import { bucket } from '../infrastructure.js';

export const s3PolicyFile = (): string => `${JSON.stringify(objectStorePolicy(bucket), undefined, 2)}\n`;
