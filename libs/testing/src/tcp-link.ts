import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A connection between a process and a server that a test can break. */
export interface TcpLink {
  readonly port: number;
  /** Where it leads. Until this is called, connections are refused. */
  leadTo(port: number): void;
  /** Ends all connections by a reset, and refuses new ones for this long. */
  cut(forMs: number): Promise<void>;
  /** Passes no byte on for this long, while connections stay open and new ones are accepted. */
  stall(forMs: number): Promise<void>;
  /** Delays each piece of bytes by this much, in both directions, for this long. */
  slow(forMs: number, byMs: number): Promise<void>;
  close(): Promise<void>;
}

/** What the link does now. */
interface LinkState {
  readonly sockets: Set<Socket>;
  target: number | undefined;
  isCut: boolean;
  pause: Promise<void>;
  slowMs: number;
}

/** A TCP proxy on a free port of loopback. It reads no further while the other side is slow. */
export const tcpLink = async (): Promise<TcpLink> => {
  const state: LinkState = {
    sockets: new Set(),
    target: undefined,
    isCut: false,
    pause: Promise.resolve(),
    slowMs: 0,
  };
  const resetAll = (): void => {
    for (const socket of state.sockets) reset(socket);
  };
  const server = createServer({ allowHalfOpen: true }, (client) => joinToTarget(client, state));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: (port) => {
      state.target = port;
    },
    cut: async (forMs) => {
      state.isCut = true;
      resetAll();
      await delay(forMs);
      state.isCut = false;
    },
    stall: async (forMs) => {
      state.pause = delay(forMs);
      await state.pause;
    },
    slow: async (forMs, byMs) => {
      state.slowMs = byMs;
      await delay(forMs);
      state.slowMs = 0;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      resetAll();
      await closed;
    },
  };
};

/** Node cannot reset a socket that has sent its end: it would stay open, and the process would never end. */
const reset = (socket: Socket): void => {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
};

const joinToTarget = (client: Socket, state: LinkState): void => {
  if (state.isCut || state.target === undefined) return void client.resetAndDestroy();
  const upstream = connect({ port: state.target, host: '127.0.0.1', allowHalfOpen: true });
  const both = [client, upstream];
  const end = (): void => {
    for (const socket of both) reset(socket);
  };
  for (const socket of both) {
    state.sockets.add(socket);
    socket.setNoDelay(true);
    // 'close' follows.
    socket.on('error', () => undefined);
    socket.on('close', (hadError) => {
      state.sockets.delete(socket);
      if (hadError) end();
    });
  }
  // A broken socket ends both loops, and a link that breaks is no failure of the test.
  carry(client, upstream, state).catch(end);
  carry(upstream, client, state).catch(end);
};

const carry = async (from: Socket, to: Socket, state: LinkState): Promise<void> => {
  for await (const piece of from as AsyncIterable<Buffer>) {
    if (state.slowMs > 0) await delay(state.slowMs);
    await state.pause;
    if (!to.write(piece)) await once(to, 'drain');
  }
  await state.pause;
  to.end();
};
