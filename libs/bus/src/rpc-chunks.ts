import { createInbox, headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import type { Bus } from './bus.js';
import { headerNames, inboxOf } from './names.js';
import { chunkBytes, chunkStallMs, chunkWindow } from './wire.js';

/**
 * Sends a long reply: the first chunk at once, with the address to ask for the others; these follow as the caller
 * acknowledges them, at most `chunkWindow` ahead. A caller that falls silent ends it: nothing is kept for it.
 */
export const sendChunks = async (
  bus: Bus,
  request: Msg,
  reply: { bytes: Uint8Array; headers: MsgHdrs },
): Promise<void> => {
  const chunks = Math.ceil(reply.bytes.length / chunkBytes);
  const chunk = (index: number) => reply.bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes);
  const more = createInbox(inboxOf(bus.user));
  const signals = bus.nc.subscribe(more);
  const stall = stallTimer(() => signals.unsubscribe());
  reply.headers.set(headerNames.chunks, String(chunks));
  reply.headers.set(headerNames.bytes, String(reply.bytes.length));
  try {
    request.respond(chunk(0), { headers: reply.headers, reply: more });
    let inbox = '';
    let sent = 1;
    let acknowledged = 0;
    for await (const signal of signals) {
      stall.reset();
      if (inbox === '') inbox = signal.reply ?? '';
      else acknowledged += 1;
      while (sent < chunks && sent - 1 - acknowledged < chunkWindow) {
        bus.nc.publish(inbox, chunk(sent), { headers: chunkHeaders(sent), reply: more });
        sent += 1;
      }
      if (acknowledged === chunks - 1) break;
    }
  } finally {
    stall.clear();
    signals.unsubscribe();
  }
};

const chunkHeaders = (index: number): MsgHdrs => {
  const made = headers();
  made.set(headerNames.chunk, String(index));
  return made;
};

const stallTimer = (onStall: () => void) => {
  let timer = setTimeout(onStall, chunkStallMs);
  return {
    reset: () => {
      clearTimeout(timer);
      timer = setTimeout(onStall, chunkStallMs);
    },
    clear: () => clearTimeout(timer),
  };
};
