// Everything but serving calls, which is in server.ts: loading NestJS doubles the start of a program.
export * from './bus.js';
export { busOptions, connectFromConfig, type BusConfig } from './process/connect-from-config.js';
export { consume, type ConsumeOptions, NonRetryableError } from './consume/consume.js';
export { consumeBatches, type ConsumeBatchesOptions } from './consume/consume-batches.js';
export * from './streams/dead-letters.js';
export { type DurableOptions, retryMs } from './consume/durable-consumer.js';
export * from './streams/events.js';
export * from './consume/follow.js';
export * from './streams/jetstream-reads.js';
export { leaderWait } from './streams/leader-wait.js';
export {
  type LastEvent,
  lastEvent,
  messageBefore,
  type ReadFrom,
  UnreadableSubjectError,
} from './streams/last-event.js';
export * from './names.js';
export {
  eventStream,
  hasRead,
  hasReached,
  laterPosition,
  partitionCount,
  type Partitioned,
  partitionOf,
  partitionsMax,
  partitionsOf,
  positionAfter,
  serverConsumers,
  serverStream,
  serverStreams,
  type StreamPosition,
} from './partitions.js';
export { natsAccounts, type NatsAccount } from './rights/accounts.js';
export { type BusTls, tlsIn } from './connection/tls.js';
export { type Permissions, permissionsOf } from './rights/permissions.js';
export { backedUpConsumers, expectedTopology, followedBy, servesStatus, streamsLoginOf } from './rights/rights.js';
export { NewerEventError, type NewerEvent } from './streams/newer-event.js';
export { isDiscarded } from './streams/discarded-events.js';
export { discardNewerEvents, type DiscardAnswer } from './process/discard-newer.js';
export { queryProcessStatus } from './process/process-status.js';
export { missingProcesses, natsServerFaults, processFaults, statusServices } from './faults/process-faults.js';
export { streamFaults } from './faults/stream-faults.js';
export { ownStreamsStatus, readStreamsStatus } from './operator/streams-status.js';
export { readSubjects, type ReadSubjectsOptions } from './streams/read-subjects.js';
export { readStream, type ReadStreamOptions } from './streams/read-stream.js';
export { copyToPartitions, switchToPartitions } from './operator/move-partitions.js';
export { isCopied, type PartitionMove } from './operator/move-events.js';
export { positionsOf, positionSchema, restorePosition, type Position } from './streams/consumer-positions.js';
export { isStorageFull, publishStored } from './streams/storage-capacity.js';
export { type JetStreamAnswer, probeJetStream } from './process/jetstream-health.js';
export { reserveBytes } from './process/store-disk.js';
export * from './rpc/rpc-client.js';
export { retryDeadLetter, type DeadLetterRetryResult } from './consume/dead-letter-retry.js';
export { producerSpan } from './tracing/spans.js';
export { requestContextHeaders } from './tracing/trace-propagation.js';
export {
  restoreStream,
  StreamBackupError,
  streamExtent,
  type StreamExtent,
  streamSettings,
  type StreamSettings,
  type StreamBackup,
} from './streams/stream-backup.js';
export { backUpStream } from './process/requested-backup.js';
export { ensureHeartbeatStreams, spreadHeartbeatStreams } from './heartbeats/heartbeat-streams.js';
export { type Confirmation, type KeyMarks, keyMarks } from './heartbeats/key-marks.js';
export * from './consume/webhook-stream.js';
export { deliverySubjects, shardOf, webhookShards } from './webhook-subjects.js';
export * from './streams/streams.js';
export { Reply, StreamReply } from './rpc/rpc-reply.js';
export { chunked, type ReplyChunks } from './rpc/rpc-stream.js';
export { chunkBytes, chunkWindow } from './rpc/rpc-wire.js';
