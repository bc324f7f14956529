import { pipeline } from 'node:stream/promises';
import type { RpcReply } from '@almanac/bus';
import type { Response } from 'express';
import { Allowance } from '../limits/allowance.js';
import { compressStream } from './compression.js';
import { requestIdOf } from './request-id.js';
import type { Encoding } from './content-negotiation.js';

/** Answers that no one may keep: they belong to one account, or to the moment. */
export const notStored = 'private, no-store';
/** Answers that a client may keep and must ask about: archived markets do change. */
export const revalidated = 'private, must-revalidate';

export type Headers = Readonly<Record<string, string | number>>;

/**
 * Begins an answer, with what every answer carries. Given all at once, since Node checks and joins headers that were
 * set one by one a second time.
 */
export const writeHead = (response: Response, status: number, headers: Headers): Response => {
  // One flat list: to copy the headers of several objects into one takes V8 as long as all the rest of it.
  const all: (string | number)[] = ['X-Request-Id', requestIdOf(response)];
  const allowance: unknown = response.locals['allowance'];
  if (allowance instanceof Allowance) allowance.appendHeaders(all);
  for (const name of Object.keys(headers)) all.push(name, headers[name] ?? '');
  return response.writeHead(status, all);
};

/** An answer's bytes; a short text may be one, which Node sends together with the head in one write. */
export interface ReadyBody {
  readonly body: string | Uint8Array;
  /** In bytes. */
  readonly length: number;
}

const textLengthMax = 16_384;

export const readyBody = (bytes: Buffer, isText: boolean): ReadyBody => ({
  body: isText && bytes.length <= textLengthMax ? bytes.toString('utf8') : bytes,
  length: bytes.length,
});

/** Writes a text of JSON that belongs to the moment. */
export const sendText = (response: Response, text: string, status = 200): void => {
  writeHead(response, status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': notStored,
  }).end(text);
};

export const sendJson = (response: Response, value: unknown, status = 200): void =>
  sendText(response, JSON.stringify(value), status);

/** A reply of several parts, and in which coding it goes to the client. */
export interface LongReply {
  readonly reply: RpcReply;
  readonly rest: AsyncIterable<Uint8Array>;
  readonly encoding: Encoding | undefined;
}

/**
 * Writes a long reply as its bytes arrive, no faster than the client takes them. `onChunk` gets every part as it came. A
 * reply that breaks off after its first byte can only end the connection, so that nobody takes the part for the whole.
 */
export const pipeReply = async (
  response: Response,
  { reply, rest, encoding }: LongReply,
  { headers, onChunk }: { headers: Headers; onChunk?: (chunk: Uint8Array) => void },
): Promise<void> => {
  const length = encoding === undefined ? { 'Content-Length': reply.totalBytes } : {};
  writeHead(response, 200, { ...headers, ...length });
  if (response.req.method === 'HEAD') {
    reply.cancelRest?.();
    response.end();
    return;
  }
  const chunks = async function* () {
    onChunk?.(reply.first);
    yield reply.first;
    for await (const chunk of rest) {
      onChunk?.(chunk);
      yield chunk;
    }
  };
  await (encoding === undefined ? pipeline(chunks, response) : pipeline(chunks, compressStream(encoding), response));
};
