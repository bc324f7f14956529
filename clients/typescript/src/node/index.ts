export * from '../index.js';
export { AlmanacNode as Almanac } from './client.js';
export type { SavedFile, SaveOptions } from './save-file.js';
export type { SyncOptions, SyncResult } from './sync/sync.js';
