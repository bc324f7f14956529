export * from './decider.js';
export * from './event-store.js';
export * from './jetstream-store.js';
export * from './data-version.js';
export * from './state-cache.js';
