import { once } from 'node:events';
import type { RpcReply } from '@almanac/bus';
import type { Response } from 'express';

/** Answers that no one may keep: they belong to one account, or to the moment. */
export const notStored = 'private, no-store';
/** Answers that a client may keep and must ask about: archived markets do change. */
export const revalidated = 'private, must-revalidate';

/** Writes a whole JSON answer. */
export const sendBytes = (response: Response, bytes: Uint8Array, headers: Readonly<Record<string, string>>): void => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length, ...headers });
  response.end(bytes);
};

export const sendJson = (response: Response, value: unknown): void =>
  sendBytes(response, Buffer.from(JSON.stringify(value)), { 'Cache-Control': notStored });

/**
 * Writes a service's reply as its bytes arrive, no faster than the client takes them. `keep` gets every part. A reply
 * that breaks off after its first byte can only end the connection, so that nobody takes the part for the whole.
 */
export const pipeReply = async (
  response: Response,
  reply: RpcReply,
  { headers, keep }: { headers: Readonly<Record<string, string>>; keep?: (part: Uint8Array) => void },
): Promise<void> => {
  keep?.(reply.first);
  if (reply.rest === undefined) return sendBytes(response, reply.first, headers);
  const closed = once(response, 'close');
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': reply.totalBytes, ...headers });
  response.write(reply.first);
  try {
    for await (const part of reply.rest) {
      if (response.destroyed) return;
      keep?.(part);
      if (!response.write(part)) await Promise.race([once(response, 'drain'), closed]);
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
};
