import type { IncomingMessage } from 'node:http';
import { HttpError } from './error-response.js';

/** How much of a body that is too long is read away, so that its sender gets to see the answer. */
const drainedBytesMax = 8 * 1_048_576;

export const tooLarge = (limit: number, headers: Record<string, string> = {}): HttpError =>
  new HttpError(413, 'payload_too_large', {
    detail: `The request body is larger than ${limit} bytes. Send a smaller body.`,
    headers,
  });

/**
 * All bytes of a body, or an HttpError 413 above the limit. The body is read even where it is not wanted, since 413
 * goes before everything that the endpoint checks; a sender of far too much is cut off.
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

/** Refuses a body that nobody reads when it says that it is too long. */
export const refuseLongBody = (request: IncomingMessage, limit: number): void => {
  const declared = request.headers['content-length'];
  if (declared !== undefined && Number(declared) > limit) throw tooLarge(limit, { Connection: 'close' });
};
