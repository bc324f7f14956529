/** Time for retries. Tests pass another one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `wake` at or after a time. Returns how to cancel it. */
  at(ms: number, wake: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  at: (ms, wake) => {
    const timer = setTimeout(wake, Math.max(0, ms - Date.now()));
    return () => clearTimeout(timer);
  },
};
