/** An answer on its way into a memory. */
export interface Fill {
  /** Whether nothing that it tells of has changed since it was asked for. */
  readonly fresh: boolean;
  end(): void;
}

export interface Fills {
  begin(topics: readonly string[]): Fill;
  /** Marks what is on its way and tells of this topic: it may be older than the change, so it must not be kept. */
  invalidate(topic: string): void;
  invalidateAll(): void;
}

/** Keeps an answer that was asked for before a change from being kept after it. */
export const createFills = (): Fills => {
  const open = new Map<string, Set<{ fresh: boolean }>>();
  const invalidateSet = (set: Set<{ fresh: boolean }> | undefined): void =>
    set?.forEach((fill) => (fill.fresh = false));
  const leave = (topic: string, fill: { fresh: boolean }): void => {
    const set = open.get(topic);
    set?.delete(fill);
    if (set?.size === 0) open.delete(topic);
  };
  return {
    begin: (topics) => {
      const fill = { fresh: true, end: () => topics.forEach((topic) => leave(topic, fill)) };
      for (const topic of topics) {
        const set = open.get(topic) ?? new Set();
        set.add(fill);
        open.set(topic, set);
      }
      return fill;
    },
    invalidate: (topic) => invalidateSet(open.get(topic)),
    invalidateAll: () => open.forEach(invalidateSet),
  };
};
