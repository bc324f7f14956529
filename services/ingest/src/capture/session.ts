import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { sentenceOf } from '../errors.js';

/** How long things may take, in milliseconds. */
export interface SessionTimes {
  readonly connectMs: number;
  /** Between two heartbeats of ours. */
  readonly heartbeatMs: number;
  /** A connection that says nothing for so long, no answer to a heartbeat either, is dead. Several heartbeats. */
  readonly idleTimeoutMs: number;
  /** The pause before the first new attempt; it doubles up to `pauseMsMax`, each with jitter. */
  readonly pauseMs: number;
  readonly pauseMsMax: number;
  /** A connection that lived so long was a good one: the next pause is the first again. */
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

/** What a venue wants of those who connect. */
export interface Endpoint {
  readonly url: string;
  /** Made anew for each attempt: a signature has a time in it. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Ping frames of the protocol, or a text that the venue answers with another one. */
  readonly heartbeat: 'ping' | { readonly text: string; readonly answer: string };
}

export interface SessionEvents {
  /** A new connection; what is sent goes to it alone, and nowhere once it is closed. */
  readonly onOpen: (send: (text: string) => void) => void;
  /** A frame of text, except answers to heartbeats. */
  readonly onFrame: (text: string) => void;
  /** A connection that was open has ended, so what the venue says is missed from here to the next `onOpen`. */
  readonly onLost: (reason: string) => void;
  /** No connection now; another attempt follows after `pauseMs`. */
  readonly onRetry: (reason: string, pauseMs: number) => void;
}

export interface Session {
  /** Ends the connection, so that a new one begins. */
  drop(reason: string): void;
  /** While true nothing is read, so the venue is held back; a venue that does not wait ends the connection. */
  holdBack(held: boolean): void;
  /** Ends it for good. */
  close(): Promise<void>;
}

/** Frames of books have some 100 KB; more than this is no message of theirs. */
const frameBytesMax = 16 * 1024 * 1024;

interface Ended {
  readonly reason: string;
  /** When it opened, on the monotonic clock; null when it never did. */
  readonly openedAt: number | null;
}

/** Keeps one websocket open until it is closed: endless attempts, with pauses that are bounded and not in step with others'. */
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
      const pauseMs =
        Math.min(times.pauseMsMax, times.pauseMs * 2 ** Math.min(failures, 20)) * (0.5 + Math.random() / 2);
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

/** Resolves with why, once the socket has ended in whatever way; `ws` tells an error before the close that follows it. */
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

/** Sends heartbeats and ends a connection that does not answer them. A venue's own pings are answered by `ws`. */
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
    // Held back, nothing is read, the answers neither.
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
