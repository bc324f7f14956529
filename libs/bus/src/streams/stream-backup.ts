import { withTimeout } from '@almanac/runtime';
import { createInbox, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { z } from 'zod';
import { type AdminBus, disconnect } from '../bus.js';
import { inboxOf } from '../names.js';

/** The first and last message of a stream, as the server reports them. */
export const streamExtent = z.object({
  messages: z.int(),
  bytes: z.int(),
  first_seq: z.int(),
  last_seq: z.int(),
});
export type StreamExtent = z.output<typeof streamExtent>;

/** Settings of a stream in the server's format. This code does not interpret them. */
export const streamSettings = z.record(z.string(), z.unknown());
export type StreamSettings = z.output<typeof streamSettings>;

/** A stream could not be copied or restored. The message has the reason. */
export class StreamBackupError extends Error {
  override readonly name = 'SnapshotError';
}

export interface StreamBackup {
  readonly config: StreamSettings;
  readonly extent: StreamExtent;
  /** The bytes. Read them once and to the end. A chunk is acknowledged when the next one is read. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

const chunkBytes = 131_072;
/** The server reads every message and its checksum before it sends the first chunk. */
const beginMs = 600_000;
const chunkMs = 30_000;

const refusal = z.object({ error: z.object({ description: z.string() }) });
const backupReply = z.object({ config: streamSettings, state: streamExtent });
const restoreAnswer = z.object({ deliver_subject: z.string() });
const restoredAnswer = z.object({ state: streamExtent });

const read = <T>(schema: z.ZodType<T>, message: Msg): T => {
  const answer: unknown = message.json();
  const refused = refusal.safeParse(answer);
  if (refused.success) throw new StreamBackupError(`The server answered: ${refused.data.error.description}.`);
  return schema.parse(answer);
};

/** A copy that this process makes. Its connection stays open until `close`. */
export interface OwnCopy extends StreamBackup {
  readonly close: () => Promise<void>;
}

/**
 * Copies a stream with all its messages in the server's format, with verified checksums. Without its consumers: the
 * server would read their state with the last message, minutes after the first. Only the copier of the stream may do
 * so. Throws a StreamBackupError or a TimeoutError. `chunks` throws a StreamBackupError if a chunk is missing.
 */
export const copyStream = async (bus: AdminBus, stream: string): Promise<OwnCopy> => {
  const nc = await bus.connectTo(stream);
  const close = (): Promise<void> => disconnect(nc);
  try {
    const inbox = createInbox(inboxOf(bus.user));
    const subscription = nc.subscribe(inbox);
    const request = { deliver_subject: inbox, no_consumers: true, chunk_size: chunkBytes, jsck: true };
    const options = { timeout: beginMs };
    const message = await nc.request(`$JS.API.STREAM.SNAPSHOT.${stream}`, JSON.stringify(request), options);
    const { config, state } = read(backupReply, message);
    return { config, extent: state, chunks: chunksOf(nc, { subscription, stream }), close };
  } catch (error) {
    await nc.close();
    throw error;
  }
};

async function* chunksOf(
  nc: NatsConnection,
  { subscription, stream }: { subscription: Subscription; stream: string },
): AsyncGenerator<Uint8Array, void, void> {
  try {
    const messages = subscription[Symbol.asyncIterator]();
    for (let number = 1; ; number += 1) {
      const next = await within(messages.next(), `No part of the snapshot of ${stream} came for ${chunkMs} ms.`);
      if (next.done === true) throw new StreamBackupError(`The connection ended within the snapshot of ${stream}.`);
      const message = next.value;
      const failure = message.headers?.code ?? 0;
      if (failure >= 400) {
        throw new StreamBackupError(
          `The server gave up the snapshot of ${stream}: ${message.headers?.description ?? failure}`,
        );
      }
      if (message.data.length === 0) return;
      requireNext(message, { number, stream });
      yield message.data;
      message.respond();
    }
  } finally {
    await disconnect(nc);
  }
}

/** The reply subject ends with the chunk's length and number. The last chunk may have none. */
const requireNext = ({ reply, data }: Msg, { number, stream }: { number: number; stream: string }): void => {
  if (reply === undefined || reply === '') return;
  const [length, index] = reply.split('.').slice(-2);
  if (Number(length) === data.length && Number(index) === number) return;
  throw new StreamBackupError(`Part ${number} of the snapshot of ${stream} is missing.`);
};

const within = <T>(work: Promise<T>, sentence: string): Promise<T> =>
  withTimeout(chunkMs, work, () => {
    throw new StreamBackupError(sentence);
  });

const chunksInFlight = 16;

interface RestoredCopy {
  readonly config: StreamSettings & { name: string };
  readonly extent: StreamExtent;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Restores a stream from its copy with these settings. Returns the stream's extent from the server. The server
 * refuses if a stream with this name exists. Throws a StreamBackupError or a TimeoutError and leaves no stream.
 */
export const restoreStream = async (bus: AdminBus, copy: RestoredCopy): Promise<StreamExtent> => {
  const nc = await bus.connectTo(copy.config.name);
  try {
    return await sendCopy(bus, nc, copy);
  } finally {
    await nc.close();
  }
};

/** The request goes through the operator's own account, so its answer reaches no stream (docs/decisions/066). */
const sendCopy = async (
  bus: AdminBus,
  nc: NatsConnection,
  { config, extent, chunks }: RestoredCopy,
): Promise<StreamExtent> => {
  const subject = `$JS.API.STREAM.RESTORE.${config.name}`;
  const request = JSON.stringify({ config, state: extent });
  const restoreReply = await bus.streams.request(subject, request, { timeout: chunkMs });
  const { deliver_subject: to } = read(restoreAnswer, restoreReply);
  const sent: Promise<void>[] = [];
  for await (const chunk of sized(chunks)) {
    if (sent.length >= chunksInFlight) await sent.shift();
    const sending = sendChunk(nc, to, chunk);
    // Each promise is awaited in order, above or below. After a failure, nothing awaits the later ones.
    sending.catch(() => undefined);
    sent.push(sending);
  }
  for (const sending of sent) await sending;
  return read(restoredAnswer, await nc.request(to, '', { timeout: beginMs })).state;
};

/** An empty reply means that the server accepted the chunk. */
const sendChunk = async (nc: NatsConnection, to: string, chunk: Uint8Array): Promise<void> => {
  const answer = await nc.request(to, chunk, { timeout: chunkMs });
  if (answer.data.length > 0) throw new StreamBackupError(`The server refused a part: ${answer.string()}`);
};

/** An empty chunk would mark the end, and a large one would exceed the maximum message size. */
async function* sized(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += chunkBytes) yield chunk.subarray(at, at + chunkBytes);
  }
}
