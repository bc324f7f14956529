import { pipeline } from 'node:stream/promises';
import type { RpcReply } from '@almanac/bus';
import type { Response } from 'express';
import type { Notice } from '@almanac/contracts';
import { Allowance } from '../limits/allowance.js';
import { compressStream } from './compression.js';
import { noticeHeader } from '../notices/notice-header.js';
import { replaceNotices } from '../notices/notices-in-json.js';
import { isStrict, noticesOf } from '../notices/request-notices.js';
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
export const writeHead = (response: Response, status: number, headers: Headers): Response => {
  // One flat list: copying the headers of several objects into one takes V8 as long as the rest.
  const all: (string | number)[] = ['X-Request-Id', requestIdOf(response)];
  const allowance: unknown = response.locals['allowance'];
  if (allowance instanceof Allowance) allowance.appendHeaders(all);
  const notices = noticesOf(response);
  if (notices.length > 0) all.push('Almanac-Notice', noticeHeader(notices));
  const strict = response.req.headers['prefer'] !== undefined && isStrict(response.req.headers);
  if (strict) all.push('Preference-Applied', 'handling=strict');
  if (strict || notices.length > 0) all.push('Vary', 'Prefer');
  for (const name of Object.keys(headers)) all.push(name, headers[name] ?? '');
  return response.writeHead(status, all);
};

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
}

/**
 * Streams a long reply with back-pressure. `onChunk` gets every chunk as received. A reply that fails after its first
 * byte can only close the connection, so that a client does not mistake the part for the complete answer.
 */
export const pipeReply = async (
  response: Response,
  { reply, rest, encoding, notices }: LongReply,
  { headers, onChunk }: { headers: Headers; onChunk?: (chunk: Uint8Array) => void },
): Promise<void> => {
  const first = replaceNotices(reply.first, { from: [], to: notices });
  const totalBytes = reply.totalBytes + first.length - reply.first.length;
  const length = encoding === undefined ? { 'Content-Length': totalBytes } : {};
  writeHead(response, 200, { ...headers, ...length });
  if (response.req.method === 'HEAD') {
    reply.cancelRest?.();
    response.end();
    return;
  }
  const chunks = async function* () {
    onChunk?.(reply.first);
    yield first;
    for await (const chunk of rest) {
      onChunk?.(chunk);
      yield chunk;
    }
  };
  await (encoding === undefined ? pipeline(chunks, response) : pipeline(chunks, compressStream(encoding), response));
};
