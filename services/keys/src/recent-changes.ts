const storedMs = 30_000;
const changesMax = 200;

/** A sequence in EVT_KEYS and its account. */
export type KeysChange = readonly [seq: number, account: string];

export interface RecentChanges {
  add(seq: number, account: string): void;
  /** The last changes that this process stored. */
  list(nowMs: number): [number, string][];
}

/**
 * Heartbeats carry the changes of this process. A gateway that gets them need not wait for its consumer, which may be lost
 * with a server.
 */
export const recentChanges = (): RecentChanges => {
  const changes: { readonly change: KeysChange; readonly atMs: number }[] = [];
  return {
    add: (seq, account) => {
      changes.push({ change: [seq, account], atMs: performance.now() });
      if (changes.length > changesMax) changes.shift();
    },
    list: (nowMs) => {
      while (changes[0] !== undefined && nowMs - changes[0].atMs > storedMs) changes.shift();
      return changes.map(({ change: [seq, account] }) => [seq, account]);
    },
  };
};
