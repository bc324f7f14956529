import { DomainError, type ErrorReply, errorReply, type ReplyHead } from '@almanac/contracts';
import { createInbox, headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import { type Bus, publishIfOpen } from './bus.js';
import { headerNames, inboxOf } from './names.js';
import { replyInterrupted } from './rpc-chunks.js';
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
 * Sends a reply of unknown length. The caller requests chunks by number, and each request gets the next chunk, the end
 * with its trailer, or the error. A chunk is produced when it is requested, so a slow caller slows the producer. The
 * caller pings while it waits and while it works, so a slow producer is not taken for a lost one, nor a slow caller.
 * Resolves with `ok`, the code of the error, or `cancelled` if the caller needs no more.
 */
export const sendStream = async (
  bus: Bus,
  request: Msg,
  { first, rest, headers: firstHeaders, abandon, running, onError }: OutgoingStream,
): Promise<string> => {
  const more = createInbox(inboxOf(bus.user));
  const requests = messageQueue();
  const stop = (): void => {
    requests.end();
    abandon();
  };
  const stall = setTimeout(stop, chunkStallMs);
  const subscription = bus.nc.subscribe(more, {
    callback: (_error, message) => {
      stall.refresh();
      const text = message.string();
      if (text === 'stop') stop();
      else if (text === 'ping') message.respond();
      else requests.push(message);
    },
  });
  firstHeaders.set(headerNames.chunks, streamed);
  running.add(stop);
  try {
    request.respond(first, { headers: firstHeaders, reply: more });
    for await (const chunkRequest of requests) {
      const { chunk, end, outcome } = await nextOf(rest, onError);
      chunkRequest.respond(chunk, end === undefined ? {} : { headers: end });
      if (outcome !== undefined) return outcome;
    }
    return 'cancelled';
  } finally {
    clearTimeout(stall);
    running.delete(stop);
    subscription.unsubscribe();
    abandon();
    await rest.return({});
  }
};

/** Instead of the number of chunks. */
export const streamed = 'streamed';

interface StreamChunk {
  readonly chunk: Uint8Array;
  /** Only of the last one. */
  readonly end?: MsgHdrs;
  readonly outcome?: string;
}

const nextOf = async (rest: ReplyChunks, onError: OutgoingStream['onError']): Promise<StreamChunk> => {
  const end = headers();
  try {
    const next = await rest.next();
    if (next.done !== true) return { chunk: next.value };
    end.set(headerNames.trailer, encodeMeta({ head: next.value }));
    return { chunk: new Uint8Array(), end, outcome: 'ok' };
  } catch (error) {
    const reply = onError(error);
    end.set(headerNames.error, reply.code);
    return { chunk: Buffer.from(JSON.stringify(reply)), end, outcome: reply.code };
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
export async function* fetchStream(bus: Bus, first: Msg): ReplyChunks {
  const more = first.reply ?? '';
  const inbox = createInbox(inboxOf(bus.user));
  const received = bus.nc.subscribe(`${inbox}.*`);
  const requestChunk = (index: number): void => bus.nc.publish(more, String(index), { reply: `${inbox}.${index}` });
  const pings = pingProducer(bus, { more, inbox, onSilence: () => received.unsubscribe() });
  let next = 1;
  let isEnded = false;
  try {
    for (let index = 1; index <= chunkWindow; index += 1) requestChunk(index);
    for await (const message of received) {
      // The server answers for a producer that is gone.
      if (message.headers?.code) break;
      pings.received();
      if (message.subject === `${inbox}.ping`) continue;
      if (message.subject !== `${inbox}.${next}`) break;
      isEnded = message.headers?.has(headerNames.error) === true || message.headers?.has(headerNames.trailer) === true;
      if (isEnded) return trailerIn(message);
      pings.pause();
      yield message.data;
      pings.resume();
      requestChunk(next + chunkWindow);
      next += 1;
    }
  } finally {
    pings.end();
    received.unsubscribe();
    if (!isEnded) publishIfOpen(bus, more, 'stop');
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

const pingsMax = 5;

/** Pings the producer all the time. During a wait for a chunk, several pings without an answer mean that it is lost. */
const pingProducer = (bus: Bus, { more, inbox, onSilence }: { more: string; inbox: string; onSilence: () => void }) => {
  let unanswered = 0;
  let isWaiting = true;
  const ping = (): void => {
    if (bus.nc.isClosed()) return onSilence();
    if (isWaiting) unanswered += 1;
    if (unanswered > pingsMax) onSilence();
    else publishIfOpen(bus, more, 'ping', { reply: `${inbox}.ping` });
  };
  const timer = setInterval(ping, chunkStallMs / pingsMax);
  return {
    received: (): void => void (unanswered = 0),
    pause: (): void => void (isWaiting = false),
    resume: (): void => void (isWaiting = true),
    end: (): void => clearInterval(timer),
  };
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
