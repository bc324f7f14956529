import { eventStates, isKnownType, type StreamName, streams } from '@almanac/contracts';
import { errors, type Msg } from '@nats-io/transport-node';
import { z } from 'zod';
import { type Bus, hasNoResponders, isWrongSequence, streamOf, type Running } from '../bus.js';
import { discardedUpTo, isDiscarded } from '../streams/discarded-events.js';
import { type EventMessage, readEvent } from '../streams/events.js';
import { lastMessage, messageAt } from '../streams/jetstream-reads.js';
import { messageBefore } from '../streams/last-event.js';
import { subjects } from '../names.js';
import { type NewerEvent, NewerEventError } from '../streams/newer-event.js';
import { serveOperatorRequests } from './operator-requests.js';
import { rights, userOf } from '../rights/rights.js';
import { publishStored } from '../streams/storage-capacity.js';

/** Which newer events to discard. Without `apply`, the answer says only what would happen. */
const discardRequest = z.object({ subject: z.string().min(1), seq: z.int().positive(), apply: z.boolean() });
export type DiscardRequest = z.output<typeof discardRequest>;

const position = z.object({ seq: z.int(), type: z.string(), time: z.int() });

const discardAnswer = z.object({
  /** Newer events that are not discarded, the latest first. None: nothing holds the subject. */
  newer: z.array(z.object({ seq: z.int(), type: z.string() })),
  /** The last event that this release can read. Null: the entity will not exist. */
  last: position.nullable(),
  error: z.string().nullable(),
});
export type DiscardAnswer = z.output<typeof discardAnswer>;

const answerTimeoutMs = 30_000;

/** Asks the service that keeps the stream. Newer events of a subject are discarded together. */
export const discardNewerEvents = async (bus: Bus, request: DiscardRequest): Promise<DiscardAnswer> => {
  const nothing = (error: string): DiscardAnswer => ({ newer: [], last: null, error });
  const stream = streamIn(request.subject);
  if (stream === undefined) return nothing(`no stream has the subject ${request.subject}`);
  try {
    const options = { timeout: answerTimeoutMs };
    const answer = await bus.nc.request(subjects.discard(stream), JSON.stringify(request), options);
    return discardAnswer.parse(answer.json());
  } catch (error) {
    if (hasNoResponders(error)) return nothing(`no process runs that keeps ${stream}`);
    if (error instanceof errors.TimeoutError) return nothing(`no answer within ${answerTimeoutMs / 1_000} s`);
    throw error;
  }
};

/** Undefined for a subject of no stream, or a pattern. */
const streamIn = (subject: string): StreamName | undefined => {
  if (/[*>\s]/.test(subject)) return undefined;
  return isStream(subject) ? streamOf(subject) : undefined;
};

const isStream = (subject: string): boolean => {
  const [first, token] = subject.split('.');
  return first === 'evt' && Object.values<string>(streams).includes(token ?? '');
};

/** Answers the operator's requests about the event streams that this user keeps. */
export const serveDiscards = (bus: Bus, onError: (error: unknown) => void): Running => {
  const answer = async (message: Msg): Promise<void> => {
    const done = await handle(bus, message).catch((error: unknown): DiscardAnswer => {
      onError(error);
      return { newer: [], last: null, error: error instanceof Error ? error.message : String(error) };
    });
    if (!bus.nc.isClosed()) message.respond(JSON.stringify(done));
  };
  const user = userOf(bus.user);
  const eventStreams = (user === undefined ? [] : (rights[user].keeps ?? [])).filter((stream) => stream in streams);
  const serving = eventStreams.map((stream) =>
    serveOperatorRequests(bus, { subject: subjects.discard(stream), queue: bus.user }, answer),
  );
  return {
    stop: async () => {
      await Promise.all(serving.map((one) => one.stop()));
    },
  };
};

const handle = async (bus: Bus, { data }: Msg): Promise<DiscardAnswer> => {
  const { subject, seq, apply } = discardRequest.parse(JSON.parse(Buffer.from(data).toString('utf8')));
  const stream = streamIn(subject);
  if (stream === undefined) throw new Error(`no stream has the subject ${subject}`);
  const found = await search(bus, { stream, subject, seq });
  const { newer, last } = found;
  const answer = {
    newer: newer.map(({ seq: at, type }) => ({ seq: at, type })),
    last: last && { seq: last.event.seq, type: last.event.event.type, time: last.event.event.time },
    error: null,
  };
  if (apply && newer.length > 0) await append(bus, { stream, subject, found });
  return answer;
};

interface Found {
  /** The latest first. */
  readonly newer: readonly NewerEvent[];
  readonly last: { readonly event: EventMessage; readonly data: Uint8Array } | null;
  /** The last sequence of the subject. */
  readonly lastSeq: number;
}

/** Messages of one subject that one request reads. */
const searchedMax = 10_000;

const search = async (
  bus: Bus,
  { stream, subject, seq }: { stream: StreamName; subject: string; seq: number },
): Promise<Found> => {
  let message: Stored | null = await lastMessage(bus, stream, subject);
  const lastSeq = message?.seq ?? 0;
  const newer: NewerEvent[] = [];
  let discarded = 0;
  for (let searched = 0; message !== null; searched += 1) {
    if (searched === searchedMax) throw new Error(`the last ${searchedMax} messages of ${subject} are no events`);
    const read = readAny(stream, message);
    if (read.event !== undefined) {
      const last = { event: read.event, data: message.data };
      const earlier = newer.length > 0 ? [] : await newerAt(bus, { stream, subject, seq });
      return { newer: [...newer, ...earlier], last, lastSeq };
    }
    discarded = Math.max(discarded, discardedUpTo(message.data));
    if (read.newer !== undefined && message.seq > discarded) newer.push(read.newer);
    message = await messageBefore(bus, { stream, subject }, message.seq);
  }
  return { newer, last: null, lastSeq };
};

type Stored = { subject: string; seq: number; data: Uint8Array };

/** A newer event that a newer process followed with a readable one. Consumers still hold it. */
const newerAt = async (
  bus: Bus,
  { stream, subject, seq }: { stream: StreamName; subject: string; seq: number },
): Promise<NewerEvent[]> => {
  const message = await messageAt(bus, stream, seq);
  if (message === null || message.subject !== subject) return [];
  const { newer } = readAny(stream, message);
  return newer === undefined || (await isDiscarded(bus, stream, newer)) ? [] : [newer];
};

/** Reads an event with the first state of the stream that fits. Neither for a message that is no event. */
const readAny = (stream: StreamName, message: Stored): { event?: EventMessage; newer?: NewerEvent } => {
  let newer: NewerEvent | undefined;
  for (const state of eventStates[stream]) {
    try {
      const event = readEvent(message, state);
      if (isKnownType(state, event.event.type)) return { event };
    } catch (error) {
      if (error instanceof NewerEventError) newer = error.event;
    }
  }
  return newer === undefined ? {} : { newer };
};

/** Nobody else may have written to the subject meanwhile. */
const append = async (
  bus: Bus,
  { stream, subject, found }: { stream: StreamName; subject: string; found: Found },
): Promise<void> => {
  const { newer, last, lastSeq } = found;
  const discards = Math.max(...newer.map(({ seq }) => seq));
  const copy: unknown = last === null ? {} : JSON.parse(Buffer.from(last.data).toString('utf8'));
  const options = {
    msgID: `discard-${stream}-${lastSeq}`,
    expect: { streamName: stream, lastSubjectSequence: lastSeq },
  };
  try {
    await publishStored(bus, subject, { data: Buffer.from(JSON.stringify({ ...Object(copy), discards })), options });
  } catch (error) {
    if (!isWrongSequence(error)) throw error;
    throw new Error(`${subject} has changed meanwhile. Try again.`, { cause: error });
  }
};
