/** Limits the memory for bytes that wait for a client, such as bodies that arrive and answers that leave. */
export interface ByteBudget {
  readonly used: number;
  /**
   * Reserves bytes for an account, or returns undefined if there is no room. The returned function releases them and
   * may be called repeatedly.
   */
  reserve(account: string, bytes: number): (() => void) | undefined;
}

/** An account may use this share, so that no account takes all of it. */
const accountShare = 1 / 4;

/**
 * An account may have one reservation above its share, and its others fill the share meanwhile. A single reservation always
 * succeeds if nothing else is reserved, so that no size is impossible.
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
    const isInShare = bytes > share ? !above.has(account) : (within.get(account) ?? 0) + bytes <= share;
    return isInShare && used + bytes <= bytesMax;
  };
  return {
    get used() {
      return used;
    },
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
