export { type Collector, type ReceivedSpan, testCollector } from './collector.js';
export { eventually } from './eventually.js';
export { freeze } from './freeze.js';
export {
  losable,
  type Losable,
  type NatsSettings,
  losableClickHouse,
  losableNats,
  losableRedis,
  losableS3,
  testClickHouse,
  testNats,
  testRedis,
  testS3,
  testServers,
  type TestClickHouse,
  type TestNats,
  type TestRedis,
  type TestS3,
  type TestServer,
} from './servers.js';
export { mortalServers, type MortalServers, type ServerName } from './mortal-servers.js';
export { images } from './images.js';
export { recording, type Recording } from './recording.js';
export { seeded } from './seeded.js';
