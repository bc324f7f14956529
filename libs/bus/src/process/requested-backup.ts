import { errorReply, type ErrorReply } from '@almanac/contracts';
import { headers, type Msg } from '@nats-io/transport-node';
import { z } from 'zod';
import { type AdminBus, hasNoResponders, type Running } from '../bus.js';
import { headerNames, subjects } from '../names.js';
import { serveOperatorRequests } from './operator-requests.js';
import { eventStream, serverStreams } from '../partitions.js';
import { keeperOf, rights, userOf } from '../rights/rights.js';
import { fetchStream, type ReplyChunks, sendStream } from '../rpc/rpc-stream.js';
import {
  copyStream,
  type StreamBackup,
  StreamBackupError,
  streamExtent,
  streamSettings,
} from '../streams/stream-backup.js';

/** The server reads every message and its checksum before it answers. */
const beginMs = 600_000;

const copyHead = z.object({ config: streamSettings, extent: streamExtent });

/**
 * Copies a stream with all its messages. nats-server sends a copy to any subject in the account of the stream, even to
 * those that the stream stores. So the copy is made by a user that may append there, and passed on by its process.
 * Throws a StreamBackupError or a TimeoutError. `chunks` throws a StreamBackupError if the copy ends early.
 */
export const backUpStream = async (bus: AdminBus, stream: string): Promise<StreamBackup> => {
  const keeper = keeperOf(eventStream(stream));
  if (keeper === bus.user) return ownCopy(bus, stream);
  const message = await bus.nc.request(subjects.backup(stream), '', { timeout: beginMs }).catch((cause: unknown) => {
    if (!hasNoResponders(cause)) throw cause;
    throw new StreamBackupError(`No process of ${keeper ?? 'any service'} runs, which copies ${stream}.`, { cause });
  });
  if (message.headers?.has(headerNames.error) === true) {
    throw new StreamBackupError(errorReply.parse(message.json()).detail);
  }
  return { ...copyHead.parse(message.json()), chunks: passedChunks(fetchStream(bus, message), stream) };
};

const ownCopy = async (bus: AdminBus, stream: string): Promise<StreamBackup> => {
  const { config, extent, chunks, close } = await copyStream(bus, stream);
  return { config, extent, chunks: closing(chunks, close) };
};

async function* closing(chunks: AsyncIterable<Uint8Array>, close: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    await close();
  }
}

async function* passedChunks(chunks: ReplyChunks, stream: string): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StreamBackupError(`The copy of ${stream} ended early: ${why}`, { cause });
  }
}

/** Answers the operator's requests for copies of the streams of this user, one at a time for each stream. */
export const serveBackups = (bus: AdminBus, onError: (error: unknown) => void): Running => {
  const running = new Set<() => void>();
  const copied = new Set<string>();
  const answer = async (stream: string, message: Msg): Promise<void> => {
    if (copied.has(stream)) return refuse(message, replyOf(new Error(`${stream} is being copied already.`)));
    copied.add(stream);
    try {
      await sendCopy(bus, { stream, message, running, onError });
    } catch (error) {
      onError(error);
      if (!bus.nc.isClosed()) refuse(message, replyOf(error));
    } finally {
      copied.delete(stream);
    }
  };
  const serving = serverStreams(bus, copiedBy(bus.user)).map((stream) => {
    const requests = { subject: subjects.backup(stream), queue: bus.user };
    return serveOperatorRequests(bus, requests, (message) => answer(stream, message));
  });
  return {
    stop: async () => {
      const stopped = serving.map((one) => one.stop());
      for (const end of running) end();
      await Promise.all(stopped);
    },
  };
};

const copiedBy = (user: string): readonly string[] => {
  const known = userOf(user);
  return known === undefined ? [] : (rights[known].keeps ?? []);
};

interface RequestedCopy {
  readonly stream: string;
  readonly message: Msg;
  readonly running: Set<() => void>;
  readonly onError: (error: unknown) => void;
}

const sendCopy = async (bus: AdminBus, { stream, message, running, onError }: RequestedCopy): Promise<void> => {
  const { config, extent, chunks, close } = await copyStream(bus, stream);
  try {
    await sendStream(bus, message, {
      first: Buffer.from(JSON.stringify({ config, extent })),
      rest: replyChunks(chunks),
      headers: headers(),
      abandon: () => void close().catch(onError),
      running,
      onError: (error) => {
        onError(error);
        return replyOf(error);
      },
    });
  } finally {
    await close();
  }
};

async function* replyChunks(chunks: AsyncIterable<Uint8Array>): ReplyChunks {
  yield* chunks;
  return {};
}

/** Only the operator may request a copy, so it gets the reason. */
const replyOf = (error: unknown): ErrorReply => ({
  code: 'unavailable',
  detail: error instanceof Error ? error.message : String(error),
});

const refuse = (message: Msg, reply: ErrorReply): void => {
  const refused = headers();
  refused.set(headerNames.error, reply.code);
  message.respond(JSON.stringify(reply), { headers: refused });
};
