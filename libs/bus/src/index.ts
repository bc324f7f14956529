// Everything but serving calls, which is in server.ts: loading NestJS doubles the start of a program.
export * from './bus.js';
export { busOptions, connectFromConfig, type BusConfig } from './connect-from-config.js';
export { consume, type ConsumeOptions, NonRetryableError } from './consume.js';
export { consumeBatches, type ConsumeBatchesOptions } from './consume-batches.js';
export * from './dead-letters.js';
export { type DurableOptions, retryMs, type Running } from './durable-consumer.js';
export * from './events.js';
export * from './follow.js';
export * from './jetstream-reads.js';
export { lastEvent, messageBefore, type ReadFrom, UnreadableSubjectError } from './last-event.js';
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
export { natsAccounts, type NatsAccount } from './accounts.js';
export { type BusTls, tlsIn } from './tls.js';
export { type Permissions, permissionsOf } from './permissions.js';
export { backedUpConsumers, expectedTopology, followedBy, servesStatus, streamsLoginOf } from './rights.js';
export { NewerEventError, type NewerEvent } from './newer-event.js';
export { isDiscarded } from './discarded-events.js';
export { discardNewerEvents, type DiscardAnswer } from './discard-newer.js';
export { queryProcessStatus } from './process-status.js';
export { missingProcesses, natsServerFaults, processFaults, statusServices } from './faults/process-faults.js';
export { streamFaults } from './faults/stream-faults.js';
export { ownStreamsStatus, readStreamsStatus } from './streams-status.js';
export { readSubjects, type ReadSubjectsOptions } from './read-subjects.js';
export { readStream, type ReadStreamOptions } from './read-stream.js';
export { copyToPartitions, switchToPartitions } from './move-partitions.js';
export { isCopied, type PartitionMove } from './move-events.js';
export { positionsOf, positionSchema, restorePosition, type Position } from './consumer-positions.js';
export { isStorageFull, publishStored } from './storage-capacity.js';
export { type JetStreamAnswer, probeJetStream } from './jetstream-health.js';
export { reserveBytes } from './store-disk.js';
export * from './rpc-client.js';
export { retryDeadLetter, type DeadLetterRetryResult } from './dead-letter-retry.js';
export { producerSpan } from './spans.js';
export { requestContextHeaders } from './trace-propagation.js';
export {
  restoreStream,
  StreamBackupError,
  streamExtent,
  type StreamExtent,
  streamSettings,
  type StreamSettings,
  type StreamBackup,
} from './stream-backup.js';
export { backUpStream } from './requested-backup.js';
export { ensureHeartbeatStreams, spreadHeartbeatStreams } from './heartbeat-streams.js';
export { type Confirmation, type KeyMarks, keyMarks } from './key-marks.js';
export * from './webhook-stream.js';
export { deliverySubjects, shardOf, webhookShards } from './webhook-subjects.js';
export * from './streams.js';
export { Reply, StreamReply } from './rpc-reply.js';
export { chunked, type ReplyChunks } from './rpc-stream.js';
export { chunkBytes, chunkWindow } from './rpc-wire.js';
