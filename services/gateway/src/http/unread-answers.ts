import type { ByteBudget } from '@almanac/runtime';
import type { UnroutedExchange } from './exchange.js';

export interface UnreadAnswer {
  readonly response: UnroutedExchange['response'];
  readonly account: string;
  /** Called once, when the answer ends. */
  readonly release: () => void;
}

/** An answer is slow if its client has read less than this a second for this time. */
const slow = { bytesPerS: 150_000, afterMs: 10_000 } as const;
/** Before, nobody knows how quickly a client reads. */
const youngMs = 1_000;

/** What the system has taken of all that was written to the connection of an answer. */
const bytesTaken = ({ response: { socket } }: UnreadAnswer): number =>
  socket === null ? 0 : socket.bytesWritten - socket.writableLength;

interface Measure {
  readonly atMs: number;
  readonly bytes: number;
}

interface Watched {
  readonly beganMs: number;
  /** Of the last full interval, and of the one that runs. */
  before: Measure;
  last: Measure;
}

/** The answers that clients have not read yet. */
export const unreadAnswers = (budget: Pick<ByteBudget, 'of'>) => {
  const open = new Map<UnreadAnswer, Watched>();
  let measuredMs = 0;
  /** At most once an interval, so that a client that read much before it stopped is slow soon after. */
  const measure = (nowMs: number): void => {
    if (nowMs - measuredMs < slow.afterMs / 2) return;
    measuredMs = nowMs;
    for (const [answer, watched] of open)
      [watched.before, watched.last] = [watched.last, { atMs: nowMs, bytes: bytesTaken(answer) }];
  };
  const candidates = (nowMs: number) =>
    [...open].map(([answer, { beganMs, before }]) => {
      const ageMs = nowMs - beganMs;
      const bytesPerS = ((bytesTaken(answer) - before.bytes) * 1_000) / Math.max(1, nowMs - before.atMs);
      return {
        answer,
        bytesPerS: ageMs < youngMs ? Number.MAX_SAFE_INTEGER : bytesPerS,
        isSlow: ageMs > slow.afterMs && bytesPerS < slow.bytesPerS,
        accountBytes: budget.of(answer.account),
      };
    });
  const answersOf = (account: string): number => [...open.keys()].filter((one) => one.account === account).length;
  const end = (answer: UnreadAnswer): void => {
    if (open.delete(answer)) answer.release();
  };
  return {
    /** Returns the function that ends it before its response does. */
    add: (answer: UnreadAnswer): (() => void) => {
      const nowMs = performance.now();
      measure(nowMs);
      const first = { atMs: nowMs, bytes: bytesTaken(answer) };
      open.set(answer, { beganMs: nowMs, before: first, last: first });
      answer.response.once('close', () => end(answer));
      return () => end(answer);
    },
    /**
     * Ends the slowest answer of the account that has most, visibly incomplete. The only answer of an account ends only if it
     * is slow. Returns false if there is none that may end.
     */
    endOne: (): boolean => {
      const nowMs = performance.now();
      measure(nowMs);
      const found = candidates(nowMs)
        .toSorted((one, other) => other.accountBytes - one.accountBytes || one.bytesPerS - other.bytesPerS)
        .find(({ answer, isSlow }) => isSlow || answersOf(answer.account) > 1);
      if (found === undefined) return false;
      const { answer } = found;
      end(answer);
      // A reset shows also a client of HTTP/1.0 that its answer was cut.
      answer.response.socket?.resetAndDestroy();
      answer.response.destroy();
      return true;
    },
  };
};
