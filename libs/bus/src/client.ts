// Everything but serving calls. Programs that serve none import it, because loading NestJS doubles their start.
export * from './bus.js';
export { busOptions, connectFromConfig, type BusConfig } from './connect-from-config.js';
export { consume, type ConsumeOptions, NonRetryableError } from './consume.js';
export { consumeBatches, type ConsumeBatchesOptions } from './consume-batches.js';
export * from './dead-letters.js';
export { type DurableOptions, retryMs, type Running } from './durable.js';
export * from './events.js';
export * from './follow.js';
export * from './jetstream-reads.js';
export { lastEvent, UnreadableSubjectError } from './last-event.js';
export * from './names.js';
export { NewerEventError } from './newer-event.js';
export * from './permissions.js';
export { queryProcessStatus } from './process-status.js';
export { readSubjects, type ReadSubjectsOptions } from './read-subjects.js';
export { readStream, type ReadStreamOptions } from './read-stream.js';
export { positionsOf, positionSchema, restorePosition, type Position } from './positions.js';
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
  backUpStream,
  streamExtent,
  type StreamExtent,
  streamSettings,
  type StreamSettings,
  type StreamBackup,
} from './stream-backup.js';
export * from './streams.js';
