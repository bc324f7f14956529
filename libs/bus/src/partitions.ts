import { crc32 } from 'node:zlib';
import type { StreamName } from '@almanac/contracts';

/** `NATS_PARTITIONS`: how many streams of the server are one partitioned event stream. */
export interface Partitioned {
  readonly partitions: number;
}

/**
 * Event streams with a subject for each market. The others grow with accounts and exports, and have readers that need one
 * order (docs/decisions/087-partitions-of-evt-archive.md).
 */
const partitionedStreams: readonly string[] = ['EVT_CATALOG', 'EVT_ARCHIVE'] satisfies StreamName[];

/** The names of partitions have two digits. */
export const partitionsMax = 32;

/** How many streams of the server an event stream is. */
export const partitionCount = ({ partitions }: Partitioned, stream: string): number =>
  partitionedStreams.includes(stream) ? partitions : 1;

/** Every partition of an event stream, from 0. */
export const partitionsOf = (bus: Partitioned, stream: string): number[] =>
  Array.from({ length: partitionCount(bus, stream) }, (_, partition) => partition);

const digits = (partition: number): string => String(partition).padStart(2, '0');

/** The name of a partition at the server: `EVT_CATALOG`, or `EVT_CATALOG_02` if there are several. */
export const serverStream = (bus: Partitioned, stream: string, partition = 0): string =>
  partitionCount(bus, stream) === 1 ? stream : `${stream}_${digits(partition)}`;

/** The names at the server of all partitions of these streams. */
export const serverStreams = (bus: Partitioned, names: readonly string[]): string[] =>
  names.flatMap((name) => partitionsOf(bus, name).map((partition) => serverStream(bus, name, partition)));

/** The durable consumers at the server: one in each partition, with the same name. */
export const serverConsumers = <Consumer extends { readonly stream: string }>(
  bus: Partitioned,
  consumers: readonly Consumer[],
): (Omit<Consumer, 'stream'> & { stream: string })[] =>
  consumers.flatMap((consumer) => serverStreams(bus, [consumer.stream]).map((stream) => ({ ...consumer, stream })));

/** The event stream of a name at the server. A backup, a login and an account have the event stream's name. */
export const eventStream = (name: string): string =>
  partitionedStreams.find((stream) => new RegExp(`^${stream}_\\d\\d$`).test(name)) ?? name;

/** The partition of a subject: by a hash, so that all events of an entity are in one, in order. */
export const partitionOf = (bus: Partitioned, stream: string, subject: string): number => {
  const count = partitionCount(bus, stream);
  return count === 1 ? 0 : crc32(subject) % count;
};

/** Tokens of a subject before the partition: `evt.catalog.02.market.T`. */
const prefixTokens = 2;

/** The subject, or pattern, as one partition stores it. */
export const serverSubject = (
  bus: Partitioned,
  { stream, partition, subject }: { stream: string; partition: number; subject: string },
): string => {
  if (partitionCount(bus, stream) === 1) return subject;
  const tokens = subject.split('.');
  return [...tokens.slice(0, prefixTokens), digits(partition), ...tokens.slice(prefixTokens)].join('.');
};

/**
 * Sequences of an event stream with several partitions are those of the server times their number, plus the partition. So
 * each is unique in the event stream, names its partition, and rises with each event of a subject. 0: before the first.
 */
export const sequenceOf = (
  bus: Partitioned,
  { stream, partition, stored }: { stream: string; partition: number; stored: number },
): number => {
  const count = partitionCount(bus, stream);
  return count === 1 || stored === 0 ? stored : stored * count + partition;
};

/** The partition of an event with this sequence. */
export const partitionAt = (bus: Partitioned, stream: string, seq: number): number => seq % partitionCount(bus, stream);

/** The server's sequence of an event. */
export const storedSequence = (bus: Partitioned, stream: string, seq: number): number =>
  Math.floor(seq / partitionCount(bus, stream));

/** The server's first sequence in a partition whose event has this sequence or a later one. */
export const storedFrom = (
  bus: Partitioned,
  { stream, partition, seq }: { stream: string; partition: number; seq: number },
): number => Math.max(1, Math.ceil((seq - partition) / partitionCount(bus, stream)));

/** The parts of a stored message that a reader of events needs. */
interface Placed {
  readonly subject: string;
  readonly seq: number;
  readonly data: Uint8Array;
}

/** A message of the server with its subject and sequence in the event stream. */
export const placed = (bus: Partitioned, stream: string, message: Placed): Placed => {
  if (partitionCount(bus, stream) === 1) return message;
  const tokens = message.subject.split('.');
  const partition = Number(tokens[prefixTokens]);
  return {
    subject: [...tokens.slice(0, prefixTokens), ...tokens.slice(prefixTokens + 1)].join('.'),
    seq: sequenceOf(bus, { stream, partition, stored: message.seq }),
    data: message.data,
  };
};

/**
 * How far an event stream was read: the sequence of the last event in each partition. Events of different partitions have
 * no order.
 */
export type StreamPosition = readonly number[];

/** The later of two positions in each partition. */
export const laterPosition = (one: StreamPosition, other: StreamPosition): StreamPosition =>
  Array.from({ length: Math.max(one.length, other.length) }, (_, at) => Math.max(one[at] ?? 0, other[at] ?? 0));

/** Whether everything up to the end was read. */
export const hasReached = (position: StreamPosition, end: StreamPosition): boolean =>
  end.every((seq, partition) => (position[partition] ?? 0) >= seq);

/** Whether the event with this sequence was read. */
export const hasRead = (position: StreamPosition, seq: number): boolean =>
  seq <= (position[seq % position.length] ?? 0);

/** The position after these events alone. */
export const positionAfter = (seqs: readonly number[], partitions: number): StreamPosition => {
  const position = Array.from({ length: partitions }, () => 0);
  for (const seq of seqs) position[seq % partitions] = Math.max(seq, position[seq % partitions] ?? 0);
  return position;
};

/**
 * A subject of a user's rights as the server needs it: for the partitions, and for the one stream that a move copies them from.
 * A discard is requested for the event stream.
 */
export const serverSubjects = (bus: Partitioned, subject: string): string[] => {
  const tokens = subject.split('.');
  const at = tokens.findIndex((token) => partitionCount(bus, token) > 1);
  if (at < 0 || tokens[0] === 'discard') return [subject];
  return [subject, ...serverStreams(bus, [tokens[at] ?? '']).map((name) => tokens.with(at, name).join('.'))];
};
