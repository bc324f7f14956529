import { pipeline } from 'node:stream/promises';
import type { RpcReply } from '@almanac/bus';
import type { Response } from 'express';
import { requestIdOf } from './request-id.js';

/** Answers that no one may keep: they belong to one account, or to the moment. */
export const notStored = 'private, no-store';
/** Answers that a client may keep and must ask about: archived markets do change. */
export const revalidated = 'private, must-revalidate';

export type Headers = Readonly<Record<string, string | number>>;

/**
 * Begins an answer, with what every answer carries. Given all at once, since Node checks and joins headers that were
 * set one by one a second time.
 */
export const writeHead = (response: Response, status: number, headers: Headers): Response =>
  response.writeHead(status, { 'X-Request-Id': requestIdOf(response), ...headers });

/** A JSON answer's bytes; a short one may be a text, which Node sends together with the head in one write. */
export interface ReadyBody {
  readonly body: string | Uint8Array;
  /** In bytes. */
  readonly length: number;
}

const textLengthMax = 16_384;

export const readyBody = (bytes: Buffer): ReadyBody => ({
  body: bytes.length <= textLengthMax ? bytes.toString('utf8') : bytes,
  length: bytes.length,
});

/** Writes a whole JSON answer. */
export const sendBody = (response: Response, { body, length }: ReadyBody, headers: Headers): void => {
  writeHead(response, 200, { 'Content-Type': 'application/json', 'Content-Length': length, ...headers }).end(body);
};

const ofTheMoment = { 'Cache-Control': notStored };

export const sendText = (response: Response, text: string): void =>
  sendBody(response, { body: text, length: Buffer.byteLength(text) }, ofTheMoment);

export const sendJson = (response: Response, value: unknown, status = 200): void => {
  const text = JSON.stringify(value);
  const length = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
  writeHead(response, status, { ...length, ...ofTheMoment }).end(text);
};

/**
 * Writes a service's reply as its bytes arrive, no faster than the client takes them. `keep` gets every part. A reply
 * that breaks off after its first byte can only end the connection, so that nobody takes the part for the whole.
 */
export const pipeReply = async (
  response: Response,
  reply: RpcReply,
  { headers, keep }: { headers: Headers; keep?: (part: Uint8Array) => void },
): Promise<void> => {
  const { first, rest, totalBytes } = reply;
  keep?.(first);
  if (rest === undefined) return sendBody(response, { body: first, length: first.length }, headers);
  writeHead(response, 200, { 'Content-Type': 'application/json', 'Content-Length': totalBytes, ...headers });
  await pipeline(async function* () {
    yield first;
    for await (const part of rest) {
      keep?.(part);
      yield part;
    }
  }, response);
};
