export * from './given-when-then.js';
export * from './carries-fields.js';
export * from './memory-store.js';
