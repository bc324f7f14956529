import type { IncomingMessage } from 'node:http';
import { HttpError } from './error-response.js';

/** How much of a too large body is read, so that its sender receives the answer. */
const drainedBytesMax = 8 * 1_048_576;

export const tooLarge = (limit: number, headers: Record<string, string> = {}): HttpError =>
  new HttpError(413, 'payload_too_large', {
    detail: `The request body is larger than ${limit} bytes. Send a smaller body.`,
    headers,
  });

/**
 * Reads a body, or throws an HttpError 413 above the limit. The body is read even if it is not needed, because 413
 * precedes all checks of the endpoint. A sender of far too much is disconnected.
 */
export const readBytes = async (request: IncomingMessage, limit: number): Promise<Buffer> => {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > drainedBytesMax) throw tooLarge(limit, { Connection: 'close' });
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    total += chunk.length;
    if (total <= limit) chunks.push(chunk);
    else chunks.length = 0;
    if (total > drainedBytesMax) break;
  }
  if (total > limit) throw tooLarge(limit, total > drainedBytesMax ? { Connection: 'close' } : {});
  return Buffer.concat(chunks);
};

/** Rejects an unread body if its declared length exceeds the limit. */
export const refuseLongBody = (request: IncomingMessage, limit: number): void => {
  const declared = request.headers['content-length'];
  if (declared !== undefined && Number(declared) > limit) throw tooLarge(limit, { Connection: 'close' });
};
