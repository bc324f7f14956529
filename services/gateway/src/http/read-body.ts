import type { IncomingMessage } from 'node:http';
import { DomainError } from '@almanac/contracts';
import type { ByteBudget } from '@almanac/runtime';
import { HttpError } from './error-response.js';
import type { OverloadCounter } from './metrics.js';
import { unreadAtOnce } from './unread-bodies.js';

/** How much of a too large body is read, so that its sender receives the answer. */
const drainedBytesMax = 8 * 1_048_576;

export const tooLarge = (limit: number, isFar = false): HttpError =>
  new HttpError('payload_too_large', {
    detail: `The request body is larger than ${limit} bytes. Send a smaller body.`,
    headers: isFar ? { Connection: 'close' } : {},
  });

/** Undefined for a body in chunks, whose length is known at its end. */
const declaredBytes = ({ headers }: IncomingMessage): number | undefined =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;

/** Rejects an unread body if its declared length exceeds the limit. */
export const refuseLongBody = (request: IncomingMessage, limit: number): void => {
  const bytes = declaredBytes(request) ?? 0;
  if (bytes > limit) throw tooLarge(limit, bytes > drainedBytesMax);
};

/** Reads a body up to its end. Above the limit it keeps nothing more and throws an HttpError 413. */
const receive = async (request: IncomingMessage, limit: number, keep: (chunk: Buffer) => void): Promise<void> => {
  let total = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    total += chunk.length;
    if (total <= limit) keep(chunk);
    if (total > drainedBytesMax) break;
  }
  if (total > limit) throw tooLarge(limit, total > drainedBytesMax);
};

export type RefuseUnread = (request: IncomingMessage, limit: number, error: unknown) => Promise<never>;

/**
 * Refuses a request before its body is used. 413 precedes every other error, so the length of a body in chunks is
 * counted first. Nothing of it stays in memory. A client that waits for `100 Continue` has sent none of it. Beyond
 * some bodies at a time nothing is counted.
 */
export const refuseUnread = (): RefuseUnread => {
  let counting = 0;
  return async (request, limit, error) => {
    const waits = request.headers.expect?.toLowerCase() === '100-continue';
    if (declaredBytes(request) !== undefined || waits || counting >= unreadAtOnce) throw error;
    counting += 1;
    try {
      await receive(request, limit, () => undefined);
    } finally {
      counting -= 1;
    }
    throw error;
  };
};

interface BodyLimits {
  readonly limit: number;
  /** Whose share of the memory the body uses. */
  readonly account: string;
}

/**
 * Reads a body and passes it to `use`. Its memory is reserved before the first byte is read, until `use` ends. Throws
 * an HttpError 413 above the limit, and `unavailable` without memory.
 */
export type WithBody = (
  request: IncomingMessage,
  limits: BodyLimits,
  use: (bytes: Buffer) => Promise<void> | void,
) => Promise<void>;

export const bodyReader =
  (budget: ByteBudget, overload: OverloadCounter): WithBody =>
  async (request, { limit, account }, use) => {
    refuseLongBody(request, limit);
    const release = budget.reserve(account, declaredBytes(request) ?? limit);
    if (release === undefined) {
      overload.inc({ reason: 'bodies' });
      throw new DomainError('unavailable', 'The server is receiving too many request bodies. Try again in a second.');
    }
    try {
      const chunks: Buffer[] = [];
      await receive(request, limit, (chunk) => void chunks.push(chunk));
      await use(Buffer.concat(chunks));
    } finally {
      release();
    }
  };
