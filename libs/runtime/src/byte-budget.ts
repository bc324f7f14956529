/** Limits the memory for bytes that wait for a client, such as bodies that arrive and answers that leave. */
export interface ByteBudget {
  readonly used: number;
  readonly max: number;
  /** What an account has reserved. */
  of(account: string): number;
  /**
   * Reserves bytes for an account, or returns undefined if there is no room. The returned function releases them and
   * may be called repeatedly.
   */
  reserve(account: string, bytes: number): (() => void) | undefined;
}

/** An account may use this share of what the others leave, so that a few accounts never take all. */
const accountShare = 1 / 4;
/** An account that has nothing may take this share of what is free. */
const firstShare = 1 / 2;

/**
 * An account may have one reservation above a quarter of all, and its others fill its share meanwhile. A single reservation
 * always succeeds if nothing else is reserved, so that no size is impossible.
 */
export const byteBudget = (bytesMax: number): ByteBudget => {
  const share = bytesMax * accountShare;
  /** Bytes of reservations within the share, and of the one above it. */
  const within = new Map<string, number>();
  const above = new Map<string, number>();
  let used = 0;
  const kindOf = (bytes: number): Map<string, number> => (bytes > share ? above : within);
  const add = (account: string, bytes: number, reserved: Map<string, number>): void => {
    const total = (reserved.get(account) ?? 0) + bytes;
    used += bytes;
    if (total === 0) reserved.delete(account);
    else reserved.set(account, total);
  };
  const fits = (account: string, bytes: number): boolean => {
    if (used === 0) return true;
    if (bytes > share) return !above.has(account) && used + bytes <= bytesMax;
    const own = within.get(account) ?? 0;
    const leftByOthers = bytesMax - used + own + (above.get(account) ?? 0);
    if (used + bytes > bytesMax) return false;
    return own + bytes <= leftByOthers * accountShare || (own === 0 && bytes <= (bytesMax - used) * firstShare);
  };
  return {
    get used() {
      return used;
    },
    max: bytesMax,
    of: (account) => (within.get(account) ?? 0) + (above.get(account) ?? 0),
    reserve: (account, bytes) => {
      if (!fits(account, bytes)) return undefined;
      add(account, bytes, kindOf(bytes));
      let held = bytes;
      return () => {
        if (held > 0) add(account, -held, kindOf(held));
        held = 0;
      };
    },
  };
};
