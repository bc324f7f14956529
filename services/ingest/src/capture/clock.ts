/** Allowed difference between the two clocks: more than one tick of the coarse one. */
const apartUsMax = 2_000;

/**
 * The receive time in integer microseconds since 1970. The system clock has only milliseconds, so a monotonic clock
 * that follows it supplies the rest. It never goes back, so messages keep their order: if the system clock is set back,
 * this one stands still until that has caught up.
 */
export const receivedClock = (): (() => number) => {
  let offset = Number.NEGATIVE_INFINITY;
  let last = 0;
  return () => {
    const even = performance.now() * 1000;
    const coarse = Date.now() * 1000;
    if (!(Math.abs(even + offset - coarse) <= apartUsMax)) offset = coarse - even;
    last = Math.max(last, Math.round(even + offset));
    return last;
  };
};
