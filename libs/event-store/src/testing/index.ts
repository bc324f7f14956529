export * from './given-when-then.js';
export * from './carries-fields.js';
export * from './memory-store.js';
export * from './cluster-appends.js';
export * from './cluster-writers.js';
