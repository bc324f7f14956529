import { type JetStreamClient, JetStreamApiError, type JetStreamPublishOptions, type PubAck } from '@nats-io/jetstream';

/**
 * What a server answers that has no room for a message, which is surely not stored: of the account (10002), of the server
 * (10023, 10047), of the stream or its disk (10077).
 */
const storageFullCodes = new Set([10002, 10023, 10047, 10077]);

/** Whether a message was refused for want of room, which is also told of what was thrown because of that. */
export const isStorageFull = (error: unknown): boolean =>
  (error instanceof JetStreamApiError && storageFullCodes.has(error.code)) ||
  (error instanceof Error && error.cause !== undefined && isStorageFull(error.cause));

/** Whether messages are stored, as far as this process tried. */
export interface StorageCapacity {
  /** When, in milliseconds of the monotonic clock, a message was last refused for want of room, and what the server said. */
  refused: { readonly at: number; readonly why: string } | null;
}

/** Publishes to a stream, and keeps in mind whether there was room, for the health of this process. */
export const publishStored = async (
  { js, storageCapacity }: { readonly js: JetStreamClient; readonly storageCapacity: StorageCapacity },
  subject: string,
  message: { readonly data: Uint8Array; readonly options: Partial<JetStreamPublishOptions> },
): Promise<PubAck> => {
  try {
    const stored = await js.publish(subject, message.data, message.options);
    storageCapacity.refused = null;
    return stored;
  } catch (error) {
    if (isStorageFull(error))
      storageCapacity.refused = { at: performance.now(), why: error instanceof Error ? error.message : '' };
    throw error;
  }
};

/** Nobody may try again, so a refusal counts for this long. */
const refusalTtlMs = 60_000;

/** What is wrong with the room, for the health of this process; null when nothing is known to be. */
export const storageFault = ({ refused }: StorageCapacity): string | null => {
  const ageMs = refused === null ? refusalTtlMs : performance.now() - refused.at;
  if (refused === null || ageMs >= refusalTtlMs) return null;
  return `JetStream is full, so nothing can be changed (${refused.why}, ${Math.round(ageMs / 1_000)} s ago)`;
};
