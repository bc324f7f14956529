import { DomainError } from '@almanac/contracts';
import type { ByteBudget } from '@almanac/runtime';
import type { UnroutedExchange } from './exchange.js';
import type { OverloadCounter } from './metrics.js';
import { unreadAnswers } from './unread-answers.js';

/** The memory of one answer. */
export interface AnswerMemory {
  /**
   * Takes more to read ahead of a quick client, if at least half of all is free. The returned function gives it back. The end
   * of the answer does, too.
   */
  readonly extend: (bytes: number) => (() => void) | undefined;
  /** Gives back what was reserved, before the end of the answer. */
  readonly release: () => void;
}

/**
 * Reserves memory for an answer until its client has received it or disconnects. Call it before the head is written.
 * Several clients may get the same `body`, which counts once. If the answers that clients have not read yet leave no
 * memory, an answer of the account that has most ends incomplete, so that an account that has nothing gets its own.
 * Throws `unavailable` if none may end.
 */
export type ReserveAnswer = (
  exchange: Pick<UnroutedExchange, 'response' | 'caller'>,
  bytes: number,
  body?: string | Uint8Array,
) => AnswerMemory;

/** Shorter answers fit into the buffers of the operating system. */
const countedFromBytes = 16_384;

/** What this process holds of a file at most. */
export const fileBytesMax = 262_144;

/** What a content coding holds of a stream at most. */
export const codingBytes = 524_288;

/** The bytes of an answer that clients read. */
interface Held {
  readers: number;
  readonly release: () => void;
}

const nothing: AnswerMemory = { extend: () => undefined, release: () => undefined };

export const answerReservations = (budget: ByteBudget, overload: OverloadCounter): ReserveAnswer => {
  const heldBodies = new Map<Uint8Array, Held>();
  const unread = unreadAnswers(budget);
  const reserve = (account: string, bytes: number): Held => {
    const isNew = budget.of(account) === 0;
    let release = budget.reserve(account, bytes);
    while (release === undefined && isNew && unread.endOne()) {
      overload.inc({ reason: 'slow' });
      release = budget.reserve(account, bytes);
    }
    if (release === undefined) {
      overload.inc({ reason: 'answers' });
      throw new DomainError(
        'unavailable',
        'Too many large answers wait for their clients. Read the answers that are open, then try again.',
      );
    }
    return { readers: 0, release };
  };
  return ({ response, caller: { account } }, bytes, body) => {
    if (bytes < countedFromBytes || response.closed || response.destroyed) return nothing;
    const shared = typeof body === 'object' ? body : undefined;
    const held = (shared && heldBodies.get(shared)) ?? reserve(account, bytes);
    held.readers += 1;
    if (shared) heldBodies.set(shared, held);
    let more: (() => void) | undefined;
    const release = unread.add({
      response,
      account,
      release: () => {
        more?.();
        held.readers -= 1;
        if (held.readers > 0) return;
        if (shared) heldBodies.delete(shared);
        held.release();
      },
    });
    const extend: AnswerMemory['extend'] = (wanted) => {
      const isSpare = budget.used + wanted <= budget.max / 2;
      return (more = isSpare && !response.closed ? budget.reserve(account, wanted) : undefined);
    };
    return { extend, release };
  };
};
