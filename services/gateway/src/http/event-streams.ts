import { DomainError } from '@almanac/contracts';
import type { Response } from 'express';
import { HttpError } from './error-response.js';
import { writeHead } from './reply.js';

export interface EventStream {
  /** `id` is the Last-Event-ID that the client sends when it reconnects. */
  send(event: { readonly name: string; readonly data: unknown; readonly id?: number }): void;
  /** Whether the client reads what was sent. Progress can be skipped for a client that does not. */
  readonly flows: boolean;
  end(): void;
  /** Breaks the connection, so that the client reconnects and gets what it missed. */
  break(): void;
}

/** All open streams of this process, so that none outlives its key or the process. */
export type EventStreams = ReturnType<typeof createEventStreams>;

/** Maximum streams of one account at one gateway. */
export const streamsMax = 20;
/** Proxies close a connection without bytes after 30 s or more. */
const keepAliveMsDefault = 15_000;
const retryMsMin = 1_000;
/** A client for which more bytes wait is disconnected at the next event. One event can have more: a day's manifest. */
const waitingBytesMax = 262_144;

export const createEventStreams = ({ keepAliveMs = keepAliveMsDefault }: { keepAliveMs?: number } = {}) => {
  const open = new Map<string, Set<EventStream>>();
  let stopped = false;
  const endOf = (account: string): void => {
    for (const stream of open.get(account) ?? []) stream.end();
  };
  const endAll = (): void => {
    for (const account of open.keys()) endOf(account);
  };
  return {
    /**
     * Opens a stream. `onClose` runs once when either side ends it. Throws 429 `too_many_streams`, and `unavailable`
     * while this process stops.
     */
    open: (response: Response, account: string, onClose: () => void): EventStream => {
      if (stopped) throw new DomainError('unavailable', 'This server is shutting down. Try again in a few seconds.');
      const streamsOfAccount = open.get(account) ?? new Set<EventStream>();
      if (streamsOfAccount.size >= streamsMax) throw tooManyStreams();
      const stream = begin(response, keepAliveMs);
      open.set(account, streamsOfAccount.add(stream));
      response.once('close', () => {
        streamsOfAccount.delete(stream);
        if (streamsOfAccount.size === 0 && open.get(account) === streamsOfAccount) open.delete(account);
        onClose();
      });
      return stream;
    },
    /** Ends the streams of an account. Its clients reconnect at once, and their keys are checked again. */
    endOf,
    endAll,
    /** Ends all streams and opens no more. */
    stop: () => {
      stopped = true;
      endAll();
    },
  };
};

export const tooManyStreams = (): HttpError =>
  new HttpError('too_many_streams', {
    detail: `Your account can have ${streamsMax} event streams open at once. Close a stream, or poll the export instead.`,
    headers: { 'Retry-After': '15' },
  });

export const eventStreamHead = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'private, no-store',
  // A buffering proxy would delay events.
  'X-Accel-Buffering': 'no',
};

const begin = (response: Response, keepAliveMs: number): EventStream => {
  writeHead(response, 200, eventStreamHead);
  const write = (text: string): void => {
    if (response.writableEnded || response.destroyed) return;
    if (response.writableLength > waitingBytesMax) return void response.destroy();
    response.write(text);
  };
  // Randomised, so that the clients of a stopped gateway do not all reconnect at once.
  write(`retry: ${retryMsMin + Math.floor(Math.random() * retryMsMin)}\n\n`);
  const keepAliveTimer = setInterval(() => write(':\n\n'), keepAliveMs);
  response.once('close', () => clearInterval(keepAliveTimer));
  return {
    send: ({ name, data, id }) =>
      write(`event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`),
    get flows() {
      return !response.writableNeedDrain;
    },
    end: () => response.end(),
    break: () => response.destroy(),
  };
};
