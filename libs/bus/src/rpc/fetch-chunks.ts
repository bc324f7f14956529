import { createInbox, headers, type Msg, type MsgHdrs, type Subscription } from '@nats-io/transport-node';
import { type Bus, publishIfOpen } from '../bus.js';
import { stateOfConnection } from '../connection/connection-state.js';
import { headerNames, inboxOf } from '../names.js';
import { absentMsMax, chunkStallMs, chunkWindow } from './rpc-wire.js';

const ticksMax = 5;
/** Ticks without a chunk after which the outstanding ones are requested again, and half as often each time. */
const ticksUntilAgain = 2;
const absentRetryMs = 100;

export interface ChunkSource {
  /** The first message of a reply. Its reply subject takes requests for the others. */
  readonly first: Msg;
  /** The number of the last chunk. Infinity if only the chunk itself tells. */
  readonly last: number;
  /** The producer answers pings while it works on a chunk. Otherwise a keep-alive tells it that the reader works. */
  readonly answersPings: boolean;
  /** How many chunks are requested ahead of the reader, 1 to `chunkWindow`. It may change at any time. */
  readonly ahead?: () => number;
}

/**
 * Requests the chunks after the first by number, and returns them in order. A request or a chunk that is lost with a server
 * is requested again, if the producer still has what it sent. Ends early if the producer is gone or silent.
 */
export async function* fetchChunks(bus: Bus, source: ChunkSource): AsyncGenerator<Msg, void> {
  const inbox = createInbox(inboxOf(bus.user));
  // Each chunk has its own reply subject, so the server reports a missing producer for each request.
  const received = bus.nc.subscribe(`${inbox}.*`);
  const requests = chunkRequests(bus, source, inbox);
  const stopWatch = watchProducer(bus, source, { inbox, received, requests });
  const { arrived } = requests;
  try {
    requests.more();
    for await (const message of received) {
      if (message.headers?.code) {
        if (requests.mayComeBack()) continue;
        return;
      }
      requests.answered();
      const index = Number(message.subject.slice(inbox.length + 1));
      if (!(index >= requests.next)) continue;
      if (index > requests.next && !requests.mayRepeat) return;
      arrived.set(index, message);
      for (let chunk = arrived.get(requests.next); chunk !== undefined; chunk = arrived.get(requests.next)) {
        requests.isWaiting = false;
        yield chunk;
        requests.isWaiting = true;
        if (requests.next === source.last) return;
        requests.read();
      }
    }
  } finally {
    stopWatch();
    received.unsubscribe();
    publishIfOpen(bus, source.first.reply ?? '', 'stop');
  }
}

type ChunkRequests = ReturnType<typeof chunkRequests>;

const chunkRequests = (bus: Bus, { first, last, ahead = () => chunkWindow }: ChunkSource, inbox: string) => {
  const more = first.reply ?? '';
  const mayRepeat = first.headers?.has(headerNames.repeats) === true;
  /** Chunks that the reader has not read, which may be later ones than the next. */
  const arrived = new Map<number, Msg>();
  let requested = 0;
  let absentSince: number | undefined;
  let retry: NodeJS.Timeout | undefined;
  const request = (index: number): void =>
    publishIfOpen(bus, more, String(index), { reply: `${inbox}.${index}`, headers: all.arrivals() });
  const all = {
    arrived,
    mayRepeat,
    /** The number of the chunk that is read next. */
    next: 1,
    isWaiting: true,
    /** Ticks since the producer sent anything, and since it sent a chunk, while the reader waits. */
    silentTicks: 0,
    ticks: 0,
    ticksUntilAgain,
    /** Tells the producer the last chunk before which none is missing, so that it needs to store none of them. */
    arrivals: (): MsgHdrs => {
      let index = all.next - 1;
      while (arrived.has(index + 1)) index += 1;
      const made = headers();
      made.set(headerNames.arrived, String(index));
      return made;
    },
    more: (): void => {
      while (requested < Math.min(last, all.next - 1 + ahead())) request((requested += 1));
    },
    again: (): void => {
      if (!mayRepeat || bus.nc.isClosed()) return;
      for (let index = all.next; index <= requested; index += 1) if (!arrived.has(index)) request(index);
    },
    answered: (): void => {
      all.silentTicks = 0;
      absentSince = undefined;
    },
    read: (): void => {
      arrived.delete(all.next);
      all.next += 1;
      [all.ticks, all.ticksUntilAgain] = [0, ticksUntilAgain];
      all.more();
    },
    /** Whether a producer that nobody reaches may come back. */
    mayComeBack: (): boolean => {
      const now = performance.now();
      absentSince ??= now;
      if (!mayRepeat || now - absentSince >= absentMsMax) return false;
      retry ??= setTimeout(() => {
        retry = undefined;
        all.again();
      }, absentRetryMs);
      return true;
    },
    end: (): void => clearTimeout(retry),
  };
  return all;
};

/** While the reader waits for a chunk, silence means a lost producer. Otherwise the producer learns that the reader works. */
const watchProducer = (
  bus: Bus,
  { first, answersPings }: ChunkSource,
  { inbox, received, requests }: { inbox: string; received: Subscription; requests: ChunkRequests },
): (() => void) => {
  const more = first.reply ?? '';
  const tick = (): void => {
    // The reader may never go on.
    if (bus.nc.isClosed()) return clearInterval(timer);
    requests.silentTicks = requests.isWaiting ? requests.silentTicks + 1 : 0;
    if (requests.silentTicks > ticksMax) return received.unsubscribe();
    if (answersPings) publishIfOpen(bus, more, 'ping', { reply: `${inbox}.ping`, headers: requests.arrivals() });
    else if (!requests.isWaiting) publishIfOpen(bus, more);
    requests.ticks = requests.isWaiting ? requests.ticks + 1 : 0;
    if (requests.ticks === requests.ticksUntilAgain) {
      requests.ticksUntilAgain *= 2;
      requests.again();
    }
  };
  const timer = setInterval(tick, chunkStallMs / ticksMax);
  const stopListening = stateOfConnection(bus.nc).onReconnect(requests.again);
  return () => {
    clearInterval(timer);
    stopListening();
    requests.end();
  };
};
