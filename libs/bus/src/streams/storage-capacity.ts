import { JetStreamApiError, type JetStreamPublishOptions, type PubAck } from '@nats-io/jetstream';
import { type Bus, isEventSubject, streamOf } from '../bus.js';
import { partitionCount, partitionOf, sequenceOf, serverStream, serverSubject, storedSequence } from '../partitions.js';
import { rawJetStream } from '../connection/raw-jetstream.js';
import { repeatWhileSilent } from '../connection/repeat-while-silent.js';

/**
 * Server error codes for missing storage capacity: of the account (10002), the server (10023, 10047), the stream or
 * its disk (10077). The message is certainly not stored.
 */
const storageFullCodes = new Set([10002, 10023, 10047, 10077]);

/** A message that was not sent because the disk of the server is almost full. */
class DiskFullError extends Error {
  override readonly name = 'DiskFullError';
}

/** Whether a message, or the operation that caused this error, was rejected for missing storage capacity. */
export const isStorageFull = (error: unknown): boolean =>
  error instanceof DiskFullError ||
  (error instanceof JetStreamApiError && storageFullCodes.has(error.code)) ||
  (error instanceof Error && error.cause !== undefined && isStorageFull(error.cause));

/** Whether messages can be stored, according to this process' last publishes. */
export interface StorageCapacity {
  /** The last rejection for missing capacity: milliseconds of the monotonic clock, and the server's reason. */
  refused: { readonly at: number; readonly why: string } | null;
  /** A sentence while the disk of the server, on this machine, is almost full. Then nothing is published. */
  diskFault: () => string | null;
}

/**
 * Publishes to a stream and records whether there was storage capacity, for the health of this process. A message with
 * an id is sent again if the server is silent, since it stores an id once.
 */
export const publishStored = async (
  bus: Bus,
  subject: string,
  message: { readonly data: Uint8Array; readonly options: Partial<JetStreamPublishOptions> },
): Promise<PubAck> => {
  const stream = bus.partitions > 1 && isEventSubject(subject) ? streamOf(subject) : undefined;
  if (stream === undefined || partitionCount(bus, stream) === 1) return publish(bus, subject, message);
  const partition = partitionOf(bus, stream, subject);
  const { expect } = message.options;
  const { lastSubjectSequence: last } = expect ?? {};
  const options = {
    ...message.options,
    ...(expect && {
      expect: {
        ...expect,
        ...(expect.streamName !== undefined && { streamName: serverStream(bus, stream, partition) }),
        ...(last !== undefined && { lastSubjectSequence: storedSequence(bus, stream, last) }),
      },
    }),
  };
  const stored = serverSubject(bus, { stream, partition, subject });
  const ack = await publish(bus, stored, { data: message.data, options });
  return { ...ack, seq: sequenceOf(bus, { stream, partition, stored: ack.seq }) };
};

/** Subject and options are those of the server. */
const publish = async (
  { [rawJetStream]: { js }, storageCapacity }: Bus,
  subject: string,
  message: { readonly data: Uint8Array; readonly options: Partial<JetStreamPublishOptions> },
): Promise<PubAck> => {
  try {
    const diskFault = storageCapacity.diskFault();
    if (diskFault !== null) throw new DiskFullError(diskFault);
    const send = (): Promise<PubAck> => js.publish(subject, message.data, message.options);
    const stored = await (message.options.msgID === undefined ? send() : repeatWhileSilent(send));
    storageCapacity.refused = null;
    return stored;
  } catch (error) {
    if (isStorageFull(error))
      storageCapacity.refused = { at: performance.now(), why: error instanceof Error ? error.message : '' };
    throw error;
  }
};

/** A rejection counts for this long, because there may be no further attempt that clears it. */
const refusalTtlMs = 60_000;

/** A sentence about missing storage capacity for the health of this process. Null: no known fault. */
export const storageFault = ({ refused, diskFault }: StorageCapacity): string | null => {
  const fault = diskFault();
  if (fault !== null) return `nothing can be changed: ${fault}`;
  const ageMs = refused === null ? refusalTtlMs : performance.now() - refused.at;
  if (refused === null || ageMs >= refusalTtlMs) return null;
  return `JetStream is full, so nothing can be changed (${refused.why}, ${Math.round(ageMs / 1_000)} s ago)`;
};
