import { DomainError, type ErrorReply, errorReply, type ReplyHead } from '@almanac/contracts';
import { createInbox, headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import type { Bus } from '../bus.js';
import { stateOfConnection } from '../connection/connection-state.js';
import { fetchChunks } from './fetch-chunks.js';
import { headerNames, inboxOf } from '../names.js';
import { lingerMs, replyInterrupted } from './rpc-chunks.js';
import { chunkBytes, chunkStallMs, chunkWindow, decodeMeta, encodeMeta } from './rpc-wire.js';

/** Chunks of a reply whose length is not known before its end. The generator returns what the trailer tells. */
export type ReplyChunks = AsyncGenerator<Uint8Array, ReplyHead, void>;

export interface OutgoingStream {
  readonly first: Uint8Array;
  readonly rest: ReplyChunks;
  readonly headers: MsgHdrs;
  /** Called when the caller is gone or needs no more. It must make `rest` fail or end. */
  readonly abandon: () => void;
  /** Has a function to end each running stream. */
  readonly running: Set<() => void>;
  /** Called with an error of `rest`. Returns what the caller may see of it. */
  readonly onError: (error: unknown) => ErrorReply;
}

/**
 * Sends a reply of unknown length. The caller requests chunks by number, and each request gets its chunk, the end
 * with its trailer, or the error. A chunk is produced when it is requested, so a slow caller slows the producer. Those that
 * the caller may not have received yet are stored for a while. The caller pings while it waits and while it works, so a slow producer is
 * not taken for a lost one, nor a slow caller. Resolves with `ok`, the code of the error, or `cancelled` if the caller
 * needs no more.
 */
export const sendStream = async (
  bus: Bus,
  request: Msg,
  { first, rest, headers: firstHeaders, abandon, running, onError }: OutgoingStream,
): Promise<string> => {
  const { connected } = stateOfConnection(bus.nc);
  const more = createInbox(inboxOf(bus.user));
  const requests = messageQueue();
  const stop = (): void => {
    requests.end();
    abandon();
  };
  const stall = setTimeout(stop, chunkStallMs);
  const sent = sentChunks(rest, onError);
  const subscription = bus.nc.subscribe(more, {
    callback: (_error, message) => {
      stall.refresh();
      const text = message.string();
      sent.arrived(Number(message.headers?.get(headerNames.arrived) ?? 0));
      if (text === 'stop') stop();
      else if (text === 'ping') message.respond();
      else requests.push(message);
    },
  });
  /** Returns whether this was the end. Not in the loop, which would refer to a chunk until the next request. */
  const respond = async (chunkRequest: Msg): Promise<boolean> => {
    const chunk = await sent.chunk(Number(chunkRequest.string()));
    if (chunk === undefined) return false;
    await connected();
    chunkRequest.respond(chunk.bytes, chunk.end === undefined ? {} : { headers: headersOf(chunk.end) });
    return chunk.end !== undefined;
  };
  firstHeaders.set(headerNames.chunks, streamed);
  firstHeaders.set(headerNames.repeats, '1');
  running.add(stop);
  let linger: NodeJS.Timeout | undefined;
  try {
    request.respond(first, { headers: firstHeaders, reply: more });
    for await (const chunkRequest of requests) {
      if (!(await respond(chunkRequest))) continue;
      abandon();
      linger ??= setTimeout(() => requests.end(), lingerMs);
    }
    return sent.outcome() ?? 'cancelled';
  } finally {
    clearTimeout(stall);
    clearTimeout(linger);
    running.delete(stop);
    subscription.unsubscribe();
    abandon();
    await rest.return({});
  }
};

/** Instead of the number of chunks. */
export const streamed = 'streamed';

interface StreamChunk {
  readonly bytes: Uint8Array;
  /** Only of the last one: the header with its trailer or error, and the outcome. */
  readonly end?: { readonly name: string; readonly value: string; readonly outcome: string };
}

/** A new object each time: if two messages share one, the second is lost. */
const headersOf = ({ name, value }: { readonly name: string; readonly value: string }): MsgHdrs => {
  const made = headers();
  made.set(name, value);
  return made;
};

/** The chunks by number. Those that the caller may not have yet are stored, because it may request them again. */
const sentChunks = (rest: ReplyChunks, onError: OutgoingStream['onError']) => {
  const latest = new Map<number, StreamChunk>();
  let [produced, arrived] = [0, 0];
  let outcome: string | undefined;
  return {
    outcome: () => outcome,
    /** The caller has the chunks up to this one. A caller of an older release does not say so. */
    arrived: (upTo: number): void => {
      arrived = Math.max(arrived, upTo);
      for (const index of latest.keys()) if (index <= arrived) latest.delete(index);
    },
    /** Undefined for a number that is not due: an earlier request was lost, and comes again, or the caller has the chunk. */
    chunk: async (index: number): Promise<StreamChunk | undefined> => {
      const known = latest.get(index);
      if (known !== undefined || index !== produced + 1 || outcome !== undefined) return known;
      const next = await nextOf(rest, onError);
      produced = index;
      outcome = next.end?.outcome;
      if (index > arrived) latest.set(index, next);
      latest.delete(index - chunkWindow);
      return next;
    },
  };
};

const nextOf = async (rest: ReplyChunks, onError: OutgoingStream['onError']): Promise<StreamChunk> => {
  try {
    const next = await rest.next();
    if (next.done !== true) return { bytes: next.value };
    const value = encodeMeta({ head: next.value });
    return { bytes: new Uint8Array(), end: { name: headerNames.trailer, value, outcome: 'ok' } };
  } catch (error) {
    const reply = onError(error);
    const { code } = reply;
    const end = { name: headerNames.error, value: code, outcome: code };
    return { bytes: Buffer.from(JSON.stringify(reply)), end };
  }
};

const messageQueue = (): AsyncIterable<Msg> & { push(message: Msg): void; end(): void } => {
  const waiting: Msg[] = [];
  let ended = false;
  let wake: () => void = () => undefined;
  return {
    push: (message) => {
      waiting.push(message);
      wake();
    },
    end: () => {
      ended = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      while (!ended) {
        const message = waiting.shift();
        if (message === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else yield message;
      }
    },
  };
};

/** The rest of a reply of unknown length. Throws the producer's error, or `unavailable` if it disconnects. */
export async function* fetchStream(bus: Bus, first: Msg, ahead?: () => number): ReplyChunks {
  for await (const message of fetchChunks(bus, {
    first,
    last: Infinity,
    answersPings: true,
    ...(ahead && { ahead }),
  })) {
    const isEnd =
      message.headers?.has(headerNames.error) === true || message.headers?.has(headerNames.trailer) === true;
    if (isEnd) return trailerIn(message);
    yield message.data;
  }
  throw replyInterrupted();
}

const trailerIn = (message: Msg): ReplyHead => {
  const text = message.headers?.get(headerNames.trailer);
  if (text) return decodeMeta(text).head ?? {};
  const { data } = errorReply.safeParse(message.json());
  if (data === undefined) throw replyInterrupted();
  throw new DomainError(data.code, data.detail, data.more ? { more: data.more } : {});
};

/** Cuts a stream of any pieces into chunks of the size of a message. */
export async function* chunked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  let pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of source) {
    pieces.push(piece);
    total += piece.length;
    if (total < chunkBytes) continue;
    const bytes = Buffer.concat(pieces, total);
    const whole = total - (total % chunkBytes);
    for (let at = 0; at < whole; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    pieces = whole < total ? [bytes.subarray(whole)] : [];
    total -= whole;
  }
  if (total > 0) yield Buffer.concat(pieces, total);
}
