export * from './bus.js';
export { busOptions, connectFromConfig, type BusConfig } from './connect-from-config.js';
export { consume, type ConsumeOptions, NoUseError } from './consume.js';
export { consumeBatches, type ConsumeBatchesOptions } from './consume-batches.js';
export { acknowledgedUpTo, type DurableOptions, retryMs, type Running } from './durable.js';
export * from './events.js';
export * from './follow.js';
export * from './names.js';
export * from './permissions.js';
export { askProcesses } from './process-status.js';
export { readSubjects, type ReadSubjectsOptions } from './read-subjects.js';
export { readStream, type ReadStreamOptions } from './read-stream.js';
export { positionsOf, positionSchema, restorePosition, type Position } from './positions.js';
export { isFull, storeMessage } from './room.js';
export * from './rpc-client.js';
export { PassErrors, Reply, Rpc, RpcContext, RpcServer } from './rpc-server.js';
export { retry, type RetryOutcome } from './retries.js';
export { serveModule } from './serve.js';
export { publishSpan } from './spans.js';
export { workHeaders } from './told-work.js';
export {
  restoreStream,
  SnapshotError,
  snapshotStream,
  streamExtent,
  type StreamExtent,
  streamSettings,
  type StreamSettings,
  type StreamSnapshot,
} from './snapshots.js';
export * from './streams.js';
