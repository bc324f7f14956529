export { eventually } from './eventually.js';
export { testNats, testRedis, type TestServer } from './servers.js';
export { sharedData } from './shared-data.js';
