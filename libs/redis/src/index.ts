export { type Redis, subscribingClient } from './client.js';
export { connectRedis } from './connect.js';
export { readLastUsed, recordLastUsed } from './last-used.js';
export { redisChannels, redisKeys } from './names.js';
export { redisRulesOf, redisUserNames, type RedisUserName } from './rights.js';
export { scriptOf, type Script } from './script.js';
export { redisVariables } from './variables.js';
