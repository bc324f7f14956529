import { pipeline } from 'node:stream/promises';
import { chunkBytes, chunkWindow, type RpcReply } from '@almanac/bus';
import type { Response } from 'express';
import type { Notice } from '@almanac/contracts';
import { countPassedBytes } from '@almanac/runtime';
import type { AnswerMemory } from './answer-memory.js';
import { compressStream } from './compression.js';
import { headHeaders, trailerNames } from './head-headers.js';
import { noticeHeader } from '../notices/notice-header.js';
import { replaceNotices } from '../notices/notices-in-json.js';
import { isStrict, noticesOf } from '../notices/request-notices.js';
import type { NotedResponse } from './exchange.js';
import { requestIdOf } from './request-id.js';
import type { Encoding } from './content-negotiation.js';

/** For answers that depend on the account or the time: nobody may store them. */
export const notStored = 'private, no-store';
/** For answers that a client may store but must revalidate, because archived markets do change. */
export const revalidated = 'private, must-revalidate';

export type Headers = Readonly<Record<string, string | number>>;

/**
 * Begins a response with the headers of all responses. All headers are passed at once, because Node checks and joins
 * headers set one by one a second time.
 */
export const writeHead = <R extends NotedResponse>(response: R, status: number, headers: Headers): R => {
  // One flat list: copying the headers of several objects into one takes V8 as long as the rest.
  const all: (string | number)[] = ['X-Request-Id', requestIdOf(response)];
  appendNoted(response, all);
  const notices = noticesOf(response);
  if (notices.length > 0) all.push('Almanac-Notice', noticeHeader(notices));
  const strict = response.req.headers['prefer'] !== undefined && isStrict(response.req.headers);
  if (strict) all.push('Preference-Applied', 'handling=strict');
  if (strict || notices.length > 0) all.push('Vary', 'Prefer');
  const cors: unknown = response.locals['cors'];
  if (Array.isArray(cors)) all.push(...cors.filter((text) => typeof text === 'string'));
  for (const name of Object.keys(headers)) all.push(name, headers[name] ?? '');
  return response.writeHead(status, all);
};

/** Something that a step of a request found, which each of its answers shows in headers. */
export interface HeaderSource {
  /** Appends names and values. */
  appendHeaders(headers: (string | number)[]): void;
}

/** Notes a source on a response. No object is made, because each request has one. */
export const noteHeaders = (response: NotedResponse, source: HeaderSource): void => {
  response.locals['headers'] = source;
};

const appendNoted = ({ locals }: NotedResponse, headers: (string | number)[]): void =>
  // Only `noteHeaders` writes it.
  (locals['headers'] as HeaderSource | undefined)?.appendHeaders(headers);

/** The bytes of an answer. A short text may be a string, which Node sends with the head in one write. */
export interface ReadyBody {
  readonly body: string | Uint8Array;
  /** In bytes. */
  readonly length: number;
}

const textLengthMax = 16_384;

export const readyBody = (bytes: Uint8Array, isText: boolean): ReadyBody => ({
  body: isText && bytes.length <= textLengthMax ? Buffer.from(bytes).toString('utf8') : bytes,
  length: bytes.length,
});

/** Sends a JSON object, with the notices about the request. */
export const sendText = (response: Response, object: string, status = 200): void => {
  const text = replaceNotices(object, { from: [], to: noticesOf(response) });
  writeHead(response, status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': notStored,
  }).end(text);
};

export const sendJson = (response: Response, value: unknown, status = 200): void =>
  sendText(response, JSON.stringify(value), status);

/** A reply of several chunks with its content coding for the client. */
export interface LongReply {
  readonly reply: RpcReply;
  readonly rest: AsyncIterable<Uint8Array>;
  readonly encoding: Encoding | undefined;
  /** Added to a reply that is a JSON object. */
  readonly notices: readonly Notice[];
  readonly memory: AnswerMemory;
}

/**
 * Streams a long reply with back-pressure. `onChunk` gets every chunk as received. A reply that fails after its first
 * byte can only close the connection, so that a client does not mistake the part for the complete answer. A reply of
 * unknown length ends with trailers.
 */
export const pipeReply = async (
  response: Response,
  { reply, rest, encoding, notices, memory }: LongReply,
  { headers, onChunk }: { headers: Headers; onChunk?: (chunk: Uint8Array) => void },
): Promise<void> => {
  const first = replaceNotices(reply.first, { from: [], to: notices });
  const hasLength = encoding === undefined && Number.isFinite(reply.totalBytes);
  const length = hasLength ? { 'Content-Length': reply.totalBytes + first.length - reply.first.length } : {};
  const trailer = hasTrailers(response, reply) ? { Trailer: trailerNames.join(', ') } : {};
  writeHead(response, 200, { ...headers, ...length, ...trailer });
  if (response.req.method === 'HEAD') {
    reply.cancelRest?.();
    response.end();
    return;
  }
  const chunks = chunksTo(response, { reply, first, rest, onChunk, memory });
  // The listeners of a request and those of a pipeline with compression are more than Node's default of 10.
  response.setMaxListeners(20);
  await (encoding === undefined ? pipeline(chunks, response) : pipeline(chunks, compressStream(encoding), response));
};

interface ChunksOptions extends Pick<LongReply, 'reply' | 'rest' | 'memory'> {
  /** The first chunk with the notices about the request, which `onChunk` does not get. */
  readonly first: Uint8Array;
  readonly onChunk: ((chunk: Uint8Array) => void) | undefined;
}

async function* chunksTo(
  response: Response,
  { reply, first, rest, onChunk, memory }: ChunksOptions,
): AsyncGenerator<Uint8Array> {
  const iterator = rest[Symbol.asyncIterator]();
  const following = (): Promise<IteratorResult<Uint8Array, unknown>> => {
    const next = iterator.next();
    // Awaited below, unless the client leaves before.
    next.catch(() => undefined);
    return next;
  };
  const pace = readingPace(reply, memory);
  // Requested before the client took the first chunk: a service drops a reply that nobody requests.
  let next: ReturnType<typeof following> | undefined = following();
  const cancel = (): void => void (response.writableFinished || reply.cancelRest?.());
  response.once('close', cancel);
  try {
    for (let chunk = reply.first; ;) {
      onChunk?.(chunk);
      countPassedBytes(chunk.length);
      if (pace.isAhead()) next ??= following();
      const offeredAt = performance.now();
      yield chunk === reply.first ? first : chunk;
      pace.taken(performance.now() - offeredAt);
      const { done, value } = await (next ?? following());
      next = undefined;
      if (done === true) break;
      chunk = value;
    }
    if (hasTrailers(response, reply)) response.addTrailers(headHeaders(reply.trailer?.()));
  } catch (error) {
    abort(response);
    throw error;
  } finally {
    // If the client left, what arrived for it is dropped. Nothing waits for this, because a pending chunk may not arrive.
    iterator.return?.().catch(() => undefined);
  }
}

/** A client that takes nothing for this long is slow. */
const slowMs = 250;
/** A client must take this much without a pause before it is read ahead: more than the systems on the way hold. */
const quickBytes = 16 * 1_048_576;

/**
 * Reads ahead for a quick client only. For a slow one, this process has one chunk, and requests the next one when it is
 * taken: hundreds of slow clients together need little. A reply with a length is read ahead from its start.
 */
const readingPace = (reply: RpcReply, memory: AnswerMemory) => {
  let quickChunks = 0;
  let ahead: (() => void) | undefined;
  /** Chunks that were read ahead of a client that became slow. */
  let aheadOfSlow = 0;
  const begin = (): void => {
    ahead = memory.extend(Math.min(reply.totalBytes, chunkWindow * chunkBytes));
    if (ahead !== undefined) reply.readAhead?.(chunkWindow);
  };
  const end = (): void => {
    ahead?.();
    ahead = undefined;
  };
  reply.readAhead?.(1);
  if (Number.isFinite(reply.totalBytes)) begin();
  return {
    isAhead: (): boolean => ahead !== undefined && aheadOfSlow === 0,
    taken: (ms: number): void => {
      quickChunks = ms < slowMs ? quickChunks + 1 : 0;
      if (aheadOfSlow > 0) {
        aheadOfSlow -= 1;
        if (aheadOfSlow === 0) end();
      } else if (ahead !== undefined && quickChunks === 0) {
        reply.readAhead?.(1);
        aheadOfSlow = chunkWindow;
      } else if (ahead === undefined && quickChunks * chunkBytes > quickBytes) begin();
    },
  };
};

/** HTTP/1.0 has no chunks, and trailers follow the last chunk. */
const isOldHttp = ({ req }: Response): boolean => req.httpVersion === '1.0';
const hasTrailers = (response: Response, { trailer }: RpcReply): boolean =>
  trailer !== undefined && !isOldHttp(response);

/**
 * A body without a length and without chunks ends with its connection, as for HTTP/1.0. A reset tells its client that
 * it was cut.
 */
const abort = (response: Response): void => {
  if (isOldHttp(response)) response.socket?.resetAndDestroy();
  response.destroy();
};
