import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs } from '@almanac/runtime';
import { WebSocket } from 'ws';
import { sentenceOf } from '../errors.js';
import type { Endpoint } from '../venues/venue-feed.js';

export interface SessionTimes {
  readonly connectMs: number;
  readonly heartbeatMs: number;
  /** A connection that is silent for this long, even on heartbeats, is dead. Several heartbeats long. */
  readonly idleTimeoutMs: number;
  /** The pause before the first new attempt. It doubles up to `pauseMsMax`, with jitter. */
  readonly pauseMs: number;
  readonly pauseMsMax: number;
  /** After a connection that lasted this long, the next pause is the first one again. */
  readonly stableMs: number;
}

export const sessionTimes: SessionTimes = {
  connectMs: 10_000,
  heartbeatMs: 10_000,
  idleTimeoutMs: 30_000,
  pauseMs: 250,
  pauseMsMax: 30_000,
  stableMs: 60_000,
};

export interface SessionEvents {
  /** A new connection. `send` belongs to it and does nothing after it closes. */
  readonly onOpen: (send: (text: string) => void) => void;
  /** A text frame, except answers to heartbeats. */
  readonly onFrame: (text: string) => void;
  /** An open connection has ended. What the venue sends is missed until the next `onOpen`. */
  readonly onLost: (reason: string) => void;
  /** There is no connection. The next attempt follows after `pauseMs`. */
  readonly onRetry: (reason: string, pauseMs: number) => void;
}

export interface Session {
  /** Ends the connection, so that a new one begins. */
  drop(reason: string): void;
  /** While true nothing is read, which holds the venue back. A venue that does not wait closes the connection. */
  holdBack(held: boolean): void;
  close(): Promise<void>;
}

/** Frames of books have about 100 KB. A larger frame than this is not one of theirs. */
const frameBytesMax = 16 * 1024 * 1024;

interface Ended {
  readonly reason: string;
  /** When it opened, on the monotonic clock, or null if it never did. */
  readonly openedAt: number | null;
}

/** Keeps one websocket open until it is closed. It retries for ever, with bounded pauses and jitter. */
export const openSession = (endpoint: Endpoint, events: SessionEvents, times = sessionTimes): Session => {
  const closing = new AbortController();
  let current: WebSocket | null = null;
  let held = false;
  let dropped: string | null = null;

  const connect = async (): Promise<Ended> => {
    dropped = null;
    const socket = newSocket(endpoint, times);
    current = socket;
    let openedAt: number | null = null;
    socket.once('open', () => {
      openedAt = performance.now();
      if (held) socket.pause();
      events.onOpen((text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text);
      });
    });
    const heartbeatTimer = heartbeat(socket, endpoint.heartbeat, { times, onFrame: events.onFrame });
    const closed = await endOf(socket);
    heartbeatTimer.stop();
    current = null;
    return { reason: dropped ?? heartbeatTimer.reason() ?? closed, openedAt };
  };

  const run = async (): Promise<void> => {
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      const { reason, openedAt } = await connect();
      if (closing.signal.aborted) return;
      if (openedAt !== null) events.onLost(reason);
      if (openedAt !== null && performance.now() - openedAt >= times.stableMs) failures = 0;
      const pauseMs = backoffMs(failures, { firstMs: times.pauseMs, mostMs: times.pauseMsMax });
      events.onRetry(reason, pauseMs);
      await pause(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };

  const running = run();
  return {
    drop: (reason) => {
      dropped ??= reason;
      current?.terminate();
    },
    holdBack: (isHeld) => {
      held = isHeld;
      if (current?.readyState !== WebSocket.OPEN) return;
      if (held) current.pause();
      else current.resume();
    },
    close: async () => {
      closing.abort();
      current?.terminate();
      await running;
    },
  };
};

const newSocket = ({ url, headers }: Endpoint, times: SessionTimes): WebSocket =>
  new WebSocket(url, {
    headers: { ...headers() },
    handshakeTimeout: times.connectMs,
    maxPayload: frameBytesMax,
    perMessageDeflate: false,
  });

/** Resolves with the reason when the socket has ended. `ws` emits an error before the close that follows it. */
const endOf = (socket: WebSocket): Promise<string> => {
  const { promise, resolve } = Promise.withResolvers<string>();
  let failure: string | null = null;
  socket.on('error', (error) => (failure ??= sentenceOf(error)));
  socket.on('close', (code, reason) => {
    const closeReason = reason.toString('utf8');
    resolve(failure ?? `closed with ${code}${closeReason === '' ? '' : ` (${closeReason})`}`);
  });
  return promise;
};

/** Sends heartbeats and ends a connection that does not answer them. `ws` answers the venue's own pings. */
const heartbeat = (
  socket: WebSocket,
  kind: Endpoint['heartbeat'],
  { times, onFrame }: { times: SessionTimes; onFrame: (text: string) => void },
): { readonly stop: () => void; readonly reason: () => string | null } => {
  let lastActivityAt = performance.now();
  let reason: string | null = null;
  const onActivity = (): void => void (lastActivityAt = performance.now());
  socket.on('ping', onActivity);
  socket.on('pong', onActivity);
  socket.on('message', (data) => {
    onActivity();
    const text = textOf(data);
    if (kind === 'ping' || text !== kind.answer) onFrame(text);
  });
  const sendHeartbeat = (): void => {
    if (socket.readyState !== WebSocket.OPEN) return;
    // While the socket is paused, answers are not read either.
    if (socket.isPaused) onActivity();
    if (performance.now() - lastActivityAt >= times.idleTimeoutMs) {
      reason = `silent for ${times.idleTimeoutMs} ms`;
      socket.terminate();
    } else if (kind === 'ping') socket.ping();
    else socket.send(kind.text);
  };
  const heartbeatTimer = setInterval(sendHeartbeat, times.heartbeatMs);
  return { stop: () => clearInterval(heartbeatTimer), reason: () => reason };
};

const textOf = (data: WebSocket.RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data)).toString('utf8');
