import { backoffMs } from '@almanac/runtime';
export interface CircuitBreakerOptions {
  /** After the first failure. It doubles with each further one, and half of it is random. */
  readonly pauseMs: number;
  readonly pauseMsMax: number;
  readonly nowMs?: () => number;
}

/** Pauses calls of a server that failed. After a pause, one call tries, and the others wait for its outcome. */
export const circuitBreaker = ({ pauseMs, pauseMsMax, nowMs = () => performance.now() }: CircuitBreakerOptions) => {
  let [failures, pausedUntilMs, isTrying] = [0, 0, false];
  const isPaused = (): boolean => isTrying || nowMs() < pausedUntilMs;
  return {
    /** If true, the caller must report the outcome. */
    mayCall: (): boolean => {
      if (isPaused()) return false;
      isTrying = failures > 0;
      return true;
    },
    /** Until the next call may try. */
    get waitMs() {
      return Math.max(isTrying ? pauseMs : 1, pausedUntilMs - nowMs());
    },
    onSuccess: (): void => {
      [failures, pausedUntilMs, isTrying] = [0, 0, false];
    },
    /** True if a pause begins. Calls that were under way at an earlier failure begin none. */
    onFailure: (): boolean => {
      if (isPaused() && !isTrying) return false;
      [failures, pausedUntilMs, isTrying] = [
        failures + 1,
        nowMs() + backoffMs(failures, { firstMs: pauseMs, mostMs: pauseMsMax }),
        false,
      ];
      return true;
    },
  };
};
