import { createInbox, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import { DomainError } from '@almanac/contracts';
import { type Bus, publishIfOpen } from '../bus.js';
import { stateOfConnection } from '../connection/connection-state.js';
import { fetchChunks } from './fetch-chunks.js';
import { headerNames, inboxOf } from '../names.js';
import { chunkBytes, chunkStallMs } from './rpc-wire.js';

/** The caller may miss the last chunk and request it again. Callers of this release say when they have it. */
export const lingerMs = 1_000;

/**
 * Sends a long reply. The first chunk goes out at once with a subject for requests of the others. The caller requests
 * each chunk by number. An empty message is a keep-alive, and `stop` ends the reply. If the caller falls silent,
 * the reply ends and its memory is freed.
 */
export const sendChunks = async (
  bus: Bus,
  request: Msg,
  reply: { bytes: Uint8Array; headers: MsgHdrs },
): Promise<void> => {
  const { connected } = stateOfConnection(bus.nc);
  const chunks = Math.ceil(reply.bytes.length / chunkBytes);
  const chunk = (index: number) => reply.bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes);
  const more = createInbox(inboxOf(bus.user));
  const chunkRequests = bus.nc.subscribe(more);
  const end = (): void => chunkRequests.unsubscribe();
  const stall = setTimeout(end, chunkStallMs);
  let linger: NodeJS.Timeout | undefined;
  reply.headers.set(headerNames.chunks, String(chunks));
  reply.headers.set(headerNames.bytes, String(reply.bytes.length));
  reply.headers.set(headerNames.repeats, '1');
  try {
    request.respond(chunk(0), { headers: reply.headers, reply: more });
    for await (const chunkRequest of chunkRequests) {
      stall.refresh();
      const text = chunkRequest.string();
      if (text === 'stop') break;
      if (text === '') continue;
      await connected();
      chunkRequest.respond(chunk(Number(text)));
      if (Number(text) === chunks - 1) linger ??= setTimeout(end, lingerMs);
    }
  } finally {
    clearTimeout(stall);
    clearTimeout(linger);
    chunkRequests.unsubscribe();
  }
};

export const replyInterrupted = (cause?: unknown): DomainError =>
  new DomainError('unavailable', 'The answer was interrupted. Send the request again.', { cause });

/**
 * The chunks after the first. A slow reader slows the producer. Throws `unavailable` if the producer falls silent or
 * disconnects.
 */
export async function* fetchRest(
  bus: Bus,
  { first, chunks, ahead }: { readonly first: Msg; readonly chunks: number; readonly ahead: () => number },
): AsyncIterable<Uint8Array> {
  let received = 1;
  try {
    for await (const { data } of fetchChunks(bus, { first, last: chunks - 1, answersPings: false, ahead })) {
      received += 1;
      yield data;
    }
  } catch (cause) {
    throw replyInterrupted(cause);
  }
  if (received !== chunks) throw replyInterrupted();
}

/** Tells the producer of a long reply that the rest is not needed. Does nothing for a short reply. */
export const cancelRest = (bus: Bus, first: Msg): void => {
  if (first.reply) publishIfOpen(bus, first.reply, 'stop');
};
