import type { StreamName } from '@almanac/contracts';
import { deadLetterStream, personalStream, webhookStream } from '../names.js';
import { eventStream, partitionCount, type Partitioned } from '../partitions.js';

type LimitedStream = StreamName | typeof personalStream | typeof deadLetterStream | typeof webhookStream;

/**
 * The share of JetStream's storage that each stream may use. Together they are all of it, so no stream can take the
 * storage of another.
 */
const storageShares: Readonly<Record<LimitedStream, number>> = {
  EVT_CATALOG: 0.28,
  EVT_COMMERCE: 0.17,
  EVT_ARCHIVE: 0.15,
  EVT_EXPORT: 0.15,
  EVT_FILE: 0.05,
  EVT_KEYS: 0.05,
  EVT_STRIPE: 0.05,
  EVT_WEBHOOK: 0.01,
  [webhookStream]: 0.04,
  [personalStream]: 0.03,
  [deadLetterStream]: 0.02,
};

/** In bytes. Partitions divide the share of their event stream. Undefined for a stream of others, and without a storage size. */
export const storageLimitOf = (
  name: string,
  { storageBytes, partitions }: Partitioned & { readonly storageBytes?: number },
): number | undefined => {
  const stream = eventStream(name);
  const share = Object.entries(storageShares).find(([known]) => known === stream)?.[1];
  if (storageBytes === undefined || share === undefined) return undefined;
  return Math.floor((share * storageBytes) / partitionCount({ partitions }, stream));
};

const appliedUpTo = 0.9;

/**
 * Whether a stream with this many bytes gets this limit. nats-server 2.9 deletes the oldest messages of a stream that is
 * larger than its new limit, even with the policy to discard new ones. A stream that is nearly as large would soon
 * refuse changes.
 */
export const isLimitApplied = (limit: number, bytes: number): boolean => bytes <= limit * appliedUpTo;

/**
 * Messages of each market in EVT_ARCHIVE. Its readers need only the last one: the data version and the bounds. The ones
 * before it are read if the last one is no event.
 */
export const archiveHistoryMax = 3;
