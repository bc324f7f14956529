/** Between the two clocks of a machine: more than a tick of the coarse one. */
const apartUsMax = 2_000;

/**
 * The time as integer microseconds since 1970, for what is received. The machine's clock has milliseconds only, so it is
 * followed by one that counts on evenly. It never goes back, so messages keep their order also where the clock is set
 * back; then it stands until that has caught up.
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
