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

/** A single reservation always succeeds if nothing else is reserved, so that no size is impossible. */
export const byteBudget = (bytesMax: number): ByteBudget => {
  const usedBy = new Map<string, number>();
  let used = 0;
  const add = (account: string, bytes: number): void => {
    const total = (usedBy.get(account) ?? 0) + bytes;
    used += bytes;
    if (total === 0) usedBy.delete(account);
    else usedBy.set(account, total);
  };
  const fits = (account: string, bytes: number): boolean => {
    if (used === 0) return true;
    const held = usedBy.get(account) ?? 0;
    return used + bytes <= bytesMax && (held === 0 || held + bytes <= bytesMax * accountShare);
  };
  return {
    get used() {
      return used;
    },
    reserve: (account, bytes) => {
      if (!fits(account, bytes)) return undefined;
      add(account, bytes);
      let held = bytes;
      return () => {
        add(account, -held);
        held = 0;
      };
    },
  };
};
