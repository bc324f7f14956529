import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { StreamName } from '@almanac/contracts';
import { withJitter } from '@almanac/runtime';
import { DeliverPolicy, type JetStreamManager, type JsMsg, type StoredMsg, type StreamInfo } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { type Bus, isNotFound, unlessMissing } from '../bus.js';
import { partitionCount, partitionOf, partitionsOf, serverStream, serverSubject } from '../partitions.js';
import { rawJetStream } from '../connection/raw-jetstream.js';
import { descriptionOf } from '../streams/streams.js';

/** A move of an event stream from one stream of the server to several. */
export interface PartitionMove {
  /** With one partition and with several, both as the stream's owner. */
  readonly from: Bus;
  readonly to: Bus;
  readonly stream: StreamName;
  /** Durable consumers, which continue after the last event that they acknowledged. */
  readonly durables: readonly string[];
  /** The kinds of subjects: `market.*`. */
  readonly kinds: readonly string[];
  readonly print: (line: string) => void;
}

/** The sequence of the event in the stream from which it was copied. */
const movedHeader = 'Almanac-Moved-From';
const fetchedMax = 500;
const fetchMs = 5_000;
const publishMs = 5_000;
const failuresMax = 50;
const retryMs = 500;
export const managerOf = (bus: Bus): JetStreamManager => bus[rawJetStream].jsm;

export const infoOf = (bus: Bus, name: string): Promise<StreamInfo | undefined> =>
  unlessMissing(managerOf(bus).streams.info(name));

export const sourceOf = async ({ from, stream }: PartitionMove): Promise<StreamInfo> => {
  const info = await infoOf(from, stream);
  if (info === undefined) throw new Error(`There is no stream ${stream} to move.`);
  return info;
};

export const existingTargets = async ({ to, stream }: PartitionMove): Promise<StreamInfo[]> => {
  const found = await Promise.all(partitionsOf(to, stream).map((at) => infoOf(to, serverStream(to, stream, at))));
  return found.filter((info) => info !== undefined);
};

export const isActive = ({ to, stream }: PartitionMove, description = ''): boolean =>
  partitionsOf(to, stream).some((at) => description === descriptionOf(at, partitionCount(to, stream)));

/** How far a partition is copied: the sequence in the source, and the last one of the partition. */
interface Copied {
  source: number;
  last: number;
}

const copiedIn = async (move: PartitionMove, partition: number): Promise<Copied> => {
  const { to, stream } = move;
  const name = serverStream(to, stream, partition);
  const { config, state } = await managerOf(to).streams.info(name);
  // Its services may append already.
  if (isActive(move, config.description)) return { source: Number.MAX_SAFE_INTEGER, last: state.last_seq };
  if (state.messages === 0) return { source: 0, last: state.last_seq };
  return {
    source: movedFrom(await managerOf(to).streams.getMessage(name, { seq: state.last_seq })),
    last: state.last_seq,
  };
};

/** Whether a move copied this event. Its time is that of the copy. */
export const isCopied = ({ header }: Pick<StoredMsg, 'header'>): boolean => header.has(movedHeader);

export const movedFrom = (message: StoredMsg | null): number => {
  const seq = Number(message?.header.get(movedHeader));
  if (Number.isInteger(seq) && seq > 0) return seq;
  throw new Error(`The message ${message?.seq ?? ''} of a partition was not copied by a move.`);
};

/** Copies until at most this many events are missing. */
export const copyUntil = async (move: PartitionMove, missingMax: number): Promise<void> => {
  for (let failures = 0; ;) {
    const before = await lowestCopied(move).catch(() => 0);
    try {
      const { state } = await sourceOf(move);
      if (state.messages === 0) return;
      await copyUpTo(move, state.last_seq);
      const { state: now } = await sourceOf(move);
      if (now.last_seq - state.last_seq <= missingMax) return;
    } catch (error) {
      failures = (await lowestCopied(move).catch(() => 0)) > before ? 0 : failures + 1;
      if (failures >= failuresMax) throw error;
      await delay(withJitter(retryMs));
    }
  }
};

const allCopied = (move: PartitionMove): Promise<Copied[]> =>
  Promise.all(partitionsOf(move.to, move.stream).map((partition) => copiedIn(move, partition)));

const lowestCopied = async (move: PartitionMove): Promise<number> =>
  Math.min(...(await allCopied(move)).map(({ source }) => source));

const copyUpTo = async (move: PartitionMove, upTo: number): Promise<void> => {
  const { from, stream, print } = move;
  const copied = await allCopied(move);
  // A partition without a recent event is behind, although nothing is missing in it.
  const start = Math.min(...copied.map(({ source }) => source)) + 1;
  if (start > upTo) return;
  const consumer = await from[rawJetStream].js.consumers.get(stream, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: start,
    name_prefix: `${from.user}-${randomUUID()}`,
  });
  try {
    const { num_pending: stored } = await consumer.info(true);
    for (let [remaining, seq] = [stored, 0]; remaining > 0 && seq < upTo;) {
      const publishing: Promise<void>[] = [];
      const before = remaining;
      const requested = { max_messages: Math.min(fetchedMax, remaining), expires: fetchMs };
      for await (const message of await consumer.fetch(requested)) {
        ({ seq } = message);
        remaining -= 1;
        if (seq > upTo) continue;
        const copying = copyOne(move, copied, message);
        // A failure is thrown below.
        copying.catch(() => undefined);
        publishing.push(copying);
      }
      // All of them, because none may be under way when the position is read again.
      const results = await Promise.allSettled(publishing);
      for (const result of results) if (result.status === 'rejected') throw result.reason;
      if (remaining === before) throw new Error(`Nothing came from ${stream}.`);
    }
  } finally {
    await consumer.delete().catch((error: unknown) => {
      if (!isNotFound(error)) print(`A consumer of ${stream} was not deleted. The server deletes it soon.`);
    });
  }
};

/** Each message expects the one before it, so the copy has the order of the source, and each event once. */
const copyOne = async (move: PartitionMove, copied: readonly Copied[], message: JsMsg): Promise<void> => {
  const { to, stream } = move;
  const partition = partitionOf(to, stream, message.subject);
  const state = copied[partition];
  if (state === undefined || message.seq <= state.source) return;
  const expect = { streamName: serverStream(to, stream, partition), lastSequence: state.last };
  state.source = message.seq;
  state.last += 1;
  await to[rawJetStream].js.publish(serverSubject(to, { stream, partition, subject: message.subject }), message.data, {
    headers: headersOf(message),
    expect,
    timeout: publishMs,
    retries: 0,
  });
};

/**
 * Those of the event, without expectations and id of its append. With an id, the server would drop a second event of the same id,
 * which the source may have stored after the window of duplicates.
 */
const headersOf = (message: JsMsg): MsgHdrs => {
  const copied = headers();
  for (const name of message.headers?.keys() ?? [])
    if (!name.startsWith('Nats-')) for (const value of message.headers?.values(name) ?? []) copied.append(name, value);
  copied.set(movedHeader, String(message.seq));
  return copied;
};
