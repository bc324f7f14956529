import { randomUUID } from 'node:crypto';
import {
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type NextMsgRequest,
  RetentionPolicy,
  StorageType,
  type StoredMsg,
} from '@nats-io/jetstream';
import { headers, nanos } from '@nats-io/transport-node';
import { type Bus, isWrongSequence, type Running } from '../bus.js';
import { unlessRefused } from '../streams/jetstream-reads.js';
import { idOf, webhookStream } from '../names.js';
import { subscribeOrdered } from './ordered-subscription.js';
import { rawJetStream } from '../connection/raw-jetstream.js';
import { repeatWhileSilent } from '../connection/repeat-while-silent.js';
import { isStorageFull, publishStored } from '../streams/storage-capacity.js';
import { createStream } from '../streams/streams.js';
import { deliverySubjects } from '../webhook-subjects.js';

/** Attempts that the log of each webhook has. */
const webhookLogMax = 100;

/**
 * Creates the stream of deliveries. A waiting delivery is one message, which is removed when it is delivered. The server
 * itself bounds the log: by the messages of a subject, and by their age.
 */
export const ensureWebhookStream = (bus: Bus): Promise<void> =>
  createStream(bus, {
    name: webhookStream,
    subjects: [deliverySubjects.all],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    // A full stream makes the sources wait. It loses no delivery.
    discard: DiscardPolicy.New,
    max_msgs_per_subject: webhookLogMax,
    max_age: nanos(30 * 24 * 3_600_000),
    num_replicas: bus.replicas,
    duplicate_window: nanos(120_000),
    allow_rollup_hdrs: true,
    allow_direct: false,
  });

/** Where a delivery waits. Deliveries of one object are sent in order. */
export interface DeliveryPlace {
  readonly webhook: string;
  readonly object: string;
  readonly part: string;
}

/**
 * Stores a delivery. `id` makes a repeated call harmless for two minutes. `replaces`: it takes the place of an earlier one
 * with the same part that still waits.
 */
export const enqueueDelivery = async (
  bus: Bus,
  place: DeliveryPlace,
  { data, id, replaces }: { data: string; id: string; replaces: boolean },
): Promise<void> => {
  const subject = deliverySubjects.queued(place);
  const seq = await store(bus, subject, { data, msgID: id });
  if (replaces) await removeQueued(bus, subject, seq - 1);
};

/**
 * Removes the messages of a subject up to a sequence, one by one. Before 2.9.16, a purge or a rollup in the server also made
 * consumers skip the messages of other subjects, and `watchDeliveries` missed deliveries (seen with 2.9.10).
 */
const removeQueued = async (bus: Bus, subject: string, upTo: number): Promise<void> => {
  for (let seq = 1; ; seq += 1) {
    const found = await firstQueued(bus, subject, seq);
    if (found === null || found.seq > upTo) return;
    await removeDelivery(bus, found.seq);
    ({ seq } = found);
  }
};

/** The first message of a queue at or after a sequence. */
const firstQueued = (bus: Bus, subject: string, seq: number): Promise<StoredMsg | null> => {
  // The client passes the request on, but its type has no `next_by_subj`.
  const request: Required<NextMsgRequest> = { seq, next_by_subj: subject };
  return getMessage(bus, request);
};

export interface QueuedDelivery {
  readonly seq: number;
  readonly object: string;
  readonly data: Uint8Array;
}

/** The first waiting delivery of a webhook at or after a sequence. */
export const nextDelivery = async (bus: Bus, webhook: string, seq: number): Promise<QueuedDelivery | null> => {
  const message = await firstQueued(bus, deliverySubjects.queueOf(webhook), seq);
  return message && { seq: message.seq, object: idOf(message.subject.split('.')[4] ?? ''), data: message.data };
};

/** Removes one message. It does nothing if it is not there. */
export const removeDelivery = (bus: Bus, seq: number): Promise<void> =>
  ask(`to remove ${seq}`, async () => {
    await bus[rawJetStream].jsm.streams.deleteMessage(webhookStream, seq, false);
  }).catch((error: unknown) => {
    if (!isMissingMessage(error)) throw error;
  });

/** Removes the deliveries of a webhook that wait up to a sequence, and all its failed attempts, which are stored behind them. */
export const purgeDeliveries = async (bus: Bus, webhook: string, upTo: number): Promise<void> => {
  await removeQueued(bus, deliverySubjects.queueOf(webhook), upTo);
  const retries = deliverySubjects.retriesOf(webhook);
  await ask(`to purge ${retries}`, () => bus[rawJetStream].jsm.streams.purge(webhookStream, { filter: retries }));
};

/** Removes the log of a webhook. */
export const removeLog = (bus: Bus, webhook: string): Promise<void> =>
  removeQueued(bus, deliverySubjects.log(webhook), Number.MAX_SAFE_INTEGER);

/** How many deliveries of a webhook wait. */
export const countDeliveries = (bus: Bus, webhook: string): Promise<number> =>
  ask(`to count the deliveries of ${webhook}`, async () => {
    const filter = deliverySubjects.queueOf(webhook);
    const { state } = await bus[rawJetStream].jsm.streams.info(webhookStream, { subjects_filter: filter });
    return Object.keys(state.subjects ?? {}).length;
  });

/** Stores the failed attempts of an object's first delivery. They replace the ones before. */
export const storeRetry = (bus: Bus, place: Omit<DeliveryPlace, 'part'>, data: string): Promise<number> => {
  const rollup = headers();
  rollup.set('Nats-Rollup', 'sub');
  return store(bus, deliverySubjects.retry(place.webhook, place.object), { data, headers: rollup });
};

export const storedRetry = async (
  bus: Bus,
  { webhook, object }: Omit<DeliveryPlace, 'part'>,
): Promise<{ seq: number; data: Uint8Array } | null> =>
  getMessage(bus, { last_by_subj: deliverySubjects.retry(webhook, object) });

export const logAttempt = async (bus: Bus, webhook: string, data: string): Promise<void> =>
  void (await store(bus, deliverySubjects.log(webhook), { data }));

/** The logged attempts of a webhook, the oldest first. */
export const loggedAttempts = async (bus: Bus, webhook: string): Promise<{ seq: number; data: Uint8Array }[]> =>
  ask(`the log of ${webhook}`, async () => {
    const consumer = await bus[rawJetStream].js.consumers.get(webhookStream, {
      filter_subjects: deliverySubjects.log(webhook),
      deliver_policy: DeliverPolicy.All,
      name_prefix: `${bus.user}-${randomUUID()}`,
    });
    try {
      const { num_pending: stored } = await consumer.info(true);
      const found: { seq: number; data: Uint8Array }[] = [];
      if (stored === 0) return found;
      for await (const { seq, data } of await consumer.fetch({ max_messages: stored, expires: 5_000 }))
        found.push({ seq, data });
      if (found.length < stored) throw new Error(`only ${found.length} of ${stored} attempts came`);
      return found;
    } finally {
      await consumer.delete();
    }
  });

/**
 * Calls `onQueued` for every waiting delivery of a shard, and for each new one, without its content. After a lost
 * connection it continues without gaps.
 */
export const watchDeliveries = async (
  bus: Bus,
  shard: number,
  onQueued: (webhook: string, seq: number) => void,
): Promise<Running> => {
  const subscription = await subscribeOrdered(bus, {
    stream: webhookStream,
    filter: deliverySubjects.queuesOf(shard),
    first: 1,
    headersOnly: true,
    hasStarted: true,
    onMessage: ({ subject, seq }) => onQueued(idOf(subject.split('.')[3] ?? ''), seq),
  });
  return { stop: () => subscription.stop() };
};

export interface StoredLease {
  readonly seq: number;
  readonly holder: string;
}

/** Who delivers a shard. An empty holder: nobody. */
export const readLease = async (bus: Bus, shard: number): Promise<StoredLease> => {
  const message = await getMessage(bus, { last_by_subj: deliverySubjects.lease(shard) });
  return { seq: message?.seq ?? 0, holder: message === null ? '' : Buffer.from(message.data).toString() };
};

/** Stores the holder if nobody stored one since. Returns the lease's new sequence. Undefined: somebody else did. */
export const storeLease = async (
  bus: Bus,
  shard: number,
  { seq, holder }: StoredLease,
): Promise<number | undefined> => {
  const subject = deliverySubjects.lease(shard);
  try {
    const options = { expect: { lastSubjectSequence: seq }, timeout: publishTimeoutMs };
    return (await publishStored(bus, subject, { data: Buffer.from(holder), options })).seq;
  } catch (error) {
    if (isWrongSequence(error)) return undefined;
    throw unlessRefused(`to store ${subject}`, error);
  }
};

const publishTimeoutMs = 3_000;

const store = async (
  bus: Bus,
  subject: string,
  { data, ...options }: { data: string; msgID?: string; headers?: ReturnType<typeof headers> },
): Promise<number> => {
  try {
    const ack = await publishStored(bus, subject, {
      data: Buffer.from(data),
      options: { ...options, timeout: publishTimeoutMs },
    });
    return ack.seq;
  } catch (error) {
    if (isStorageFull(error)) throw error;
    throw unlessRefused(`to store ${subject}`, error);
  }
};

const getMessage = (
  bus: Bus,
  request: Parameters<Bus[typeof rawJetStream]['jsm']['streams']['getMessage']>[1],
): Promise<StoredMsg | null> =>
  ask('a delivery', () => bus[rawJetStream].jsm.streams.getMessage(webhookStream, request));

const ask = async <T>(what: string, request: () => Promise<T>): Promise<T> => {
  try {
    return await repeatWhileSilent(request);
  } catch (error) {
    throw unlessRefused(what, error);
  }
};

/** `no message found`, `sequence … not found` and `message delete failed`. */
const missingMessage: ReadonlySet<number> = new Set([10037, 10043, 10057]);
const isMissingMessage = (error: unknown): boolean =>
  error instanceof JetStreamApiError && missingMessage.has(error.code);
