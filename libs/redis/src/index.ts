export { connectRedis, type Redis } from './connect.js';
export { lastUses, noteUses } from './last-uses.js';
export { scriptOf, type Script } from './script.js';
