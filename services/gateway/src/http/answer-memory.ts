import { DomainError } from '@almanac/contracts';
import type { ByteBudget } from '@almanac/runtime';
import type { Exchange } from './exchange.js';
import type { OverloadCounter } from './metrics.js';

/**
 * Reserves memory for an answer until its client has received it or disconnects. Call it before the head is written.
 * Throws `unavailable` if the answers that clients have not read yet leave no memory. Several clients may get the same
 * `body`, which counts once.
 */
export type ReserveAnswer = (
  exchange: Pick<Exchange, 'response' | 'caller'>,
  bytes: number,
  body?: string | Uint8Array,
) => void;

/** Shorter answers fit into the buffers of the operating system. */
const countedFromBytes = 16_384;

/** What this process holds of a long reply at most: the chunks that it has requested from the service. */
export const streamedBytesMax = 3 * 1_048_576;

/** What this process holds of a file at most. */
export const fileBytesMax = 262_144;

/** The bytes of an answer that clients read. */
interface Held {
  readers: number;
  readonly release: () => void;
}

export const answerReservations = (budget: ByteBudget, overload: OverloadCounter): ReserveAnswer => {
  const heldBodies = new Map<Uint8Array, Held>();
  const reserve = (account: string, bytes: number): Held => {
    const release = budget.reserve(account, bytes);
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
    response.once('close', () => {
      held.readers -= 1;
      if (held.readers > 0) return;
      if (shared) heldBodies.delete(shared);
      held.release();
    });
  };
};
