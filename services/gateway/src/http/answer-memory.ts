import { DomainError } from '@almanac/contracts';
import type { ByteBudget } from '@almanac/runtime';
import type { UnroutedExchange } from './exchange.js';
import type { OverloadCounter } from './metrics.js';

/**
 * Reserves memory for an answer until its client has received it or disconnects. Call it before the head is written.
 * Throws `unavailable` if the answers that clients have not read yet leave no memory. Several clients may get the same
 * `body`, which counts once. An answer without one passes through, and ends incomplete if its client reads slowly and an
 * account that has nothing needs the memory.
 */
export type ReserveAnswer = (
  exchange: Pick<UnroutedExchange, 'response' | 'caller'>,
  bytes: number,
  body?: string | Uint8Array,
) => void;

/** Shorter answers fit into the buffers of the operating system. */
const countedFromBytes = 16_384;

/** What this process holds of a long reply at most: the chunks that it has requested from the service. */
export const streamedBytesMax = 3 * 1_048_576;

/** What this process holds of a file at most. */
export const fileBytesMax = 262_144;

/** An answer gives way if its client has read less than this a second since its start, after this time. */
const slowest = { bytesPerS: 150_000, afterMs: 10_000 } as const;

interface PassingAnswer {
  readonly response: UnroutedExchange['response'];
  readonly beganAt: number;
  readonly bytesBefore: number;
  readonly release: () => void;
}

/** What the system has taken of all that was written to a connection. */
const bytesTaken = ({ socket }: UnroutedExchange['response']): number =>
  socket === null ? 0 : socket.bytesWritten - socket.writableLength;

/** The bytes of an answer that clients read. */
interface Held {
  readers: number;
  readonly release: () => void;
}

export const answerReservations = (budget: ByteBudget, overload: OverloadCounter): ReserveAnswer => {
  const heldBodies = new Map<Uint8Array, Held>();
  const passing = new Set<PassingAnswer>();
  const endSlowest = (): boolean => {
    const now = performance.now();
    const rateOf = ({ response, beganAt, bytesBefore }: PassingAnswer): number =>
      ((bytesTaken(response) - bytesBefore) * 1_000) / (now - beganAt);
    const [first] = [...passing]
      .filter((one) => now - one.beganAt > slowest.afterMs && rateOf(one) < slowest.bytesPerS)
      .toSorted((one, other) => rateOf(one) - rateOf(other));
    if (first === undefined) return false;
    overload.inc({ reason: 'slow' });
    passing.delete(first);
    first.release();
    // A reset shows also a client of HTTP/1.0 that its answer was cut.
    first.response.socket?.resetAndDestroy();
    first.response.destroy();
    return true;
  };
  const reserve = (account: string, bytes: number): Held => {
    const isNew = budget.of(account) === 0;
    let release = budget.reserve(account, bytes);
    while (release === undefined && isNew && endSlowest()) release = budget.reserve(account, bytes);
    if (release === undefined) {
      overload.inc({ reason: 'answers' });
      throw new DomainError(
        'unavailable',
        'Too many large answers wait for their clients. Read the answers that are open, then try again.',
      );
    }
    return { readers: 0, release };
  };
  return ({ response, caller }, bytes, body) => {
    if (bytes < countedFromBytes || response.closed || response.destroyed) return;
    const shared = typeof body === 'object' ? body : undefined;
    const held = (shared && heldBodies.get(shared)) ?? reserve(caller.account, bytes);
    held.readers += 1;
    if (shared) heldBodies.set(shared, held);
    const answer: PassingAnswer = {
      response,
      beganAt: performance.now(),
      bytesBefore: bytesTaken(response),
      release: held.release,
    };
    if (!body) passing.add(answer);
    response.once('close', () => {
      passing.delete(answer);
      held.readers -= 1;
      if (held.readers > 0) return;
      if (shared) heldBodies.delete(shared);
      held.release();
    });
  };
};
