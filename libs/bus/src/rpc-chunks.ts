import { createInbox, type Msg, type MsgHdrs, type Subscription } from '@nats-io/transport-node';
import { DomainError } from '@almanac/contracts';
import { type Bus, publishIfOpen } from './bus.js';
import { headerNames, inboxOf } from './names.js';
import { chunkBytes, chunkStallMs, chunkWindow } from './rpc-wire.js';

/**
 * Sends a long reply. The first chunk goes out at once with a subject for requests of the others. The caller requests
 * each chunk by number. An empty message is a keep-alive, and `stop` cancels the rest. If the caller falls silent,
 * the reply ends and its memory is freed.
 */
export const sendChunks = async (
  bus: Bus,
  request: Msg,
  reply: { bytes: Uint8Array; headers: MsgHdrs },
): Promise<void> => {
  const chunks = Math.ceil(reply.bytes.length / chunkBytes);
  const chunk = (index: number) => reply.bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes);
  const more = createInbox(inboxOf(bus.user));
  const chunkRequests = bus.nc.subscribe(more);
  const stall = setTimeout(() => chunkRequests.unsubscribe(), chunkStallMs);
  reply.headers.set(headerNames.chunks, String(chunks));
  reply.headers.set(headerNames.bytes, String(reply.bytes.length));
  try {
    request.respond(chunk(0), { headers: reply.headers, reply: more });
    for await (const chunkRequest of chunkRequests) {
      stall.refresh();
      const text = chunkRequest.string();
      if (text === 'stop') break;
      if (text === '') continue;
      chunkRequest.respond(chunk(Number(text)));
      if (Number(text) === chunks - 1) break;
    }
  } finally {
    clearTimeout(stall);
    chunkRequests.unsubscribe();
  }
};

export const replyInterrupted = (cause?: unknown): DomainError =>
  new DomainError('unavailable', 'The answer was interrupted. Send the request again.', { cause });

/**
 * The chunks after the first. At most `chunkWindow` unread chunks are requested, so a slow reader slows the producer.
 * Throws `unavailable` if the producer falls silent or disconnects.
 */
export async function* fetchRest(bus: Bus, first: Msg, chunks: number): AsyncIterable<Uint8Array> {
  const more = first.reply ?? '';
  const inbox = createInbox(inboxOf(bus.user));
  // Each chunk has its own reply subject, so the server reports a missing producer for each request.
  const received = bus.nc.subscribe(`${inbox}.*`, { max: chunks - 1 });
  const requestChunk = (index: number) => {
    if (index < chunks) bus.nc.publish(more, String(index), { reply: `${inbox}.${index}` });
  };
  const watch = monitorProducer(bus, { received, more });
  let next = 1;
  try {
    for (let index = 1; index <= chunkWindow; index += 1) requestChunk(index);
    for await (const chunk of received) {
      if (chunk.headers?.code || !chunk.subject.endsWith(`.${next}`)) break;
      watch.waiting = false;
      yield chunk.data;
      watch.waiting = true;
      next += 1;
      requestChunk(next - 1 + chunkWindow);
    }
  } catch (cause) {
    throw replyInterrupted(cause);
  } finally {
    watch.end();
    received.unsubscribe();
    if (next < chunks) publishIfOpen(bus, more, 'stop');
  }
  if (next !== chunks) throw replyInterrupted();
}

/** Tells the producer of a long reply that the rest is not needed. Does nothing for a short reply. */
export const cancelRest = (bus: Bus, first: Msg): void => {
  if (first.reply) publishIfOpen(bus, first.reply, 'stop');
};

/** During a wait for a chunk, silence means a lost producer. While the reader works, keep-alives are sent. */
const monitorProducer = (bus: Bus, { received, more }: { received: Subscription; more: string }) => {
  const ticksMax = 5;
  let ticks = 0;
  const timer = setInterval(() => {
    if (bus.nc.isClosed()) return watch.end();
    if (!watch.waiting) publishIfOpen(bus, more);
    ticks = watch.waiting ? ticks + 1 : 0;
    if (ticks > ticksMax) received.unsubscribe();
  }, chunkStallMs / ticksMax);
  const watch = { waiting: true, end: () => clearInterval(timer) };
  return watch;
};
