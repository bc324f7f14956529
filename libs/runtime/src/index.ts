export * from './api-key.js';
export * from './config.js';
export * from './health.js';
export * from './idempotency.js';
export * from './logger.js';
export * from './made-file.js';
export * from './process.js';
export * from './uuid.js';
