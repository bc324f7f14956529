import { DomainError } from '@almanac/contracts';

export interface ConcurrencyLimit {
  /** Operations that run at once. */
  readonly running: number;
  /** Operations that wait. More are rejected at once. */
  readonly waiting: number;
  /** An operation that waited longer is rejected when its turn comes. */
  readonly waitMs: number;
}

/** Runs operations in their order, a limited number at once. Rejects with `unavailable` what would wait too long. */
export const limitConcurrency = (limit: ConcurrencyLimit) => {
  let running = 0;
  const waiting: { readonly sinceMs: number; readonly start: (inTime: boolean) => void }[] = [];
  const release = (): void => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const inTime = performance.now() - next.sinceMs < limit.waitMs;
      next.start(inTime);
      // The place passes to this operation.
      if (inTime) return;
    }
    running -= 1;
  };
  return async <T>(operation: () => Promise<T>): Promise<T> => {
    if (running < limit.running) running += 1;
    else if (waiting.length >= limit.waiting) throw overloaded();
    else {
      const sinceMs = performance.now();
      const inTime = await new Promise<boolean>((start) => waiting.push({ sinceMs, start }));
      if (!inTime) throw overloaded();
    }
    try {
      return await operation();
    } finally {
      release();
    }
  };
};

const overloaded = (): DomainError =>
  new DomainError('unavailable', 'Too many API keys are being checked. Try again in a few seconds.');
