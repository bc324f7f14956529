/** With fewer measured times, the longest limit holds. */
const knownMin = 8;
const knownMax = 100;
/** This many longer times may be accidents, such as the silence before a move to another server. */
const accidents = 2;

export interface MeasuredLimitOptions {
  readonly leastMs: number;
  readonly mostMs: number;
  /** The limit is this many times as long as what usually is the longest. */
  readonly times: number;
}

/**
 * A limit for a time that is short on a quiet machine and long on a busy one. Where the usual times are known, what is lost shows
 * soon, and what is only slow is not taken for lost.
 */
export const measuredLimit = ({ leastMs, mostMs, times }: MeasuredLimitOptions) => {
  const known: number[] = [];
  let limitMs = mostMs;
  return {
    add: (tookMs: number): void => {
      known.push(tookMs);
      if (known.length > knownMax) known.shift();
      if (known.length < knownMin) return;
      const longest = known.toSorted((a, b) => b - a)[accidents] ?? mostMs;
      limitMs = Math.min(mostMs, Math.max(leastMs, times * longest));
    },
    get ms() {
      return limitMs;
    },
  };
};
