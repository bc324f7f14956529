export { type ArrowFile, readArrow } from './arrow.js';
export { type TraceCollector, type ReceivedSpan, startTraceCollector } from './trace-collector.js';
export { eventually } from './eventually.js';
export { suspendProcess } from './suspend-process.js';
export {
  killable,
  type Killable,
  type NatsSettings,
  killableClickHouse,
  killableNats,
  killableRedis,
  killableS3,
  serversWithTables,
  testClickHouse,
  testNats,
  testRedis,
  testReplicas,
  testS3,
  testServers,
  type TestClickHouse,
  type TestClickHouseOptions,
  type TestNats,
  type TestRedis,
  type TestS3,
  type TestServer,
} from './servers.js';
export { killableServers, type KillableServers, type ServerName } from './killable-servers.js';
export { images } from './images.js';
export { recording, type Recording } from './recording.js';
export { seededRandom } from './seeded-random.js';
export { freePort, type NatsTls } from '@almanac/local-servers';
export { assertNoticed, type Mutant } from './mutant.js';
export { testNumber } from './test-number.js';
export { tcpLink, type TcpLink } from './tcp-link.js';
export { type ClusterTls, configuredNatsCluster, type ConfiguredNatsCluster, newNatsProgram } from './nats-cluster.js';
export { clickHouseProxy, type ClickHouseProxy, type Forward, type ProxiedRequest } from './clickhouse-proxy.js';
export { composeCluster, type ComposeCluster } from './clickhouse-cluster.js';
export { consistencySettings, type ConsistencySetting, type LaggingReplica } from './clickhouse-replicas.js';
export { npmWith, pythonWith } from './installed-tools.js';
export { otherTls, testTls } from './tls.js';
