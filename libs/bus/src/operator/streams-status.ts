import {
  type ConsumerStatus,
  type DeadLetter,
  type StreamsStatus,
  type StreamStatus,
  unreadableShownMax,
} from '@almanac/contracts';
import { type Bus, unlessMissing } from '../bus.js';
import {
  messageOfDeadLetter,
  openDeadLetters,
  type OpenDeadLetters,
  unreadableMessageOf,
} from '../streams/dead-letters.js';
import { unlessRefused } from '../streams/jetstream-reads.js';
import { deadLetterStream, subjects } from '../names.js';
import { serverConsumers, serverStreams } from '../partitions.js';
import { rawJetStream } from '../connection/raw-jetstream.js';
import { expectedTopology, keeperOf } from '../rights/rights.js';

/** Streams and durable consumers, by their names in the rights. */
export type Topology = typeof expectedTopology;

/** What a user may read: the streams that it keeps, its consumers, and the dead letters if it has consumers. */
const topologyOf = (user: string): Topology => {
  const consumers = expectedTopology.consumers.filter((one) => one.user === user);
  const streams = expectedTopology.streams.filter((stream) => keeperOf(stream) === user && stream !== deadLetterStream);
  return { streams: consumers.length > 0 ? [...streams, deadLetterStream] : streams, consumers };
};

/** The state of streams and consumers at NATS. Dead letters are counted if their stream is one of them. */
export const readStreamsStatus = async (bus: Bus, { streams, consumers }: Topology): Promise<StreamsStatus> => {
  const [streamStatuses, consumerStatuses, letters] = await Promise.all([
    Promise.all(serverStreams(bus, streams).map((stream) => streamStatusOf(bus, stream))),
    Promise.all(serverConsumers(bus, consumers).map((consumer) => consumerStatusOf(bus, consumer))),
    streams.includes(deadLetterStream) ? unlessMissing(openDeadLetters(bus)) : undefined,
  ]);
  return {
    streams: streamStatuses,
    consumers: consumerStatuses.filter((one) => one !== undefined),
    ...deadLettersIn(letters),
  };
};

/** What a service reports: of its own dead letters also the newest. An outage of JetStream is `unavailable`. */
export const ownStreamsStatus = async (bus: Bus): Promise<StreamsStatus> => {
  const topology = topologyOf(bus.user);
  try {
    const status = await readStreamsStatus(bus, topology);
    const isOwn = (consumer: string): boolean => topology.consumers.some(({ durable }) => durable === consumer);
    const letters = status.dead_letters.map(async (one) => ({
      ...one,
      newest: isOwn(one.consumer) ? await newestOf(bus, one.consumer) : null,
    }));
    return { ...status, dead_letters: await Promise.all(letters) };
  } catch (error) {
    throw unlessRefused('to a read of the state of streams', error);
  }
};

const streamStatusOf = async (bus: Bus, stream: string): Promise<StreamStatus> => {
  const info = await unlessMissing(bus[rawJetStream].jsm.streams.info(stream));
  if (info === undefined) {
    return { stream, exists: false, messages: 0, bytes: 0, limit_bytes: null, newest_ts: null };
  }
  const { state, config } = info;
  return {
    stream,
    exists: true,
    messages: state.messages,
    bytes: state.bytes,
    limit_bytes: config.max_bytes > 0 ? config.max_bytes : null,
    // Without messages, the server reports the year 1.
    newest_ts: state.messages === 0 ? null : Date.parse(state.last_ts) / 1_000,
  };
};

/** Undefined if it does not exist: its service creates it, and some exist only if configured. */
const consumerStatusOf = async (
  bus: Bus,
  { stream, durable, user }: { stream: string; durable: string; user: string },
): Promise<ConsumerStatus | undefined> => {
  const info = await unlessMissing(bus[rawJetStream].jsm.consumers.info(stream, durable));
  if (info === undefined) return undefined;
  return {
    consumer: durable,
    stream,
    service: user,
    waiting: info.num_pending,
    in_progress: info.num_ack_pending,
    redelivered: info.num_redelivered,
    pull_requests: info.num_waiting,
  };
};

const deadLettersIn = (letters: OpenDeadLetters | undefined): Pick<StreamsStatus, 'dead_letters' | 'unreadable'> => {
  const unreadable = [...(letters?.unreadable ?? [])];
  return {
    dead_letters: Array.from(letters?.ofConsumers ?? [], ([consumer, count]) => ({ consumer, count, newest: null })),
    unreadable: {
      count: unreadable.length,
      examples: unreadable.slice(0, unreadableShownMax).map(unreadableMessageOf),
    },
  };
};

/** Null if it was handled meanwhile. */
const newestOf = async (bus: Bus, durable: string): Promise<DeadLetter | null> => {
  const letter = await bus[rawJetStream].jsm.direct.getMessage(deadLetterStream, {
    last_by_subj: subjects.dead(durable),
  });
  if (letter === null) return null;
  return { number: letter.seq, stored_ts: letter.time.getTime() / 1_000, ...messageOfDeadLetter(letter.header) };
};
