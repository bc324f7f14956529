import type { Clock } from '../delivery/clock.js';

/** A clock that a test moves, on top of the system's. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export const manualClock = (): ManualClock => {
  let offsetMs = 0;
  const waiting = new Set<{ ms: number; wake: () => void }>();
  const now = (): number => Date.now() + offsetMs;
  const timer = setInterval(() => fire(), 20);
  timer.unref();
  const fire = (): void => {
    for (const one of waiting) {
      if (one.ms > now()) continue;
      waiting.delete(one);
      one.wake();
    }
  };
  return {
    now,
    at: (ms, wake) => {
      const one = { ms, wake };
      waiting.add(one);
      return () => void waiting.delete(one);
    },
    advance: (ms) => {
      offsetMs += ms;
      fire();
    },
  };
};
