import type { StreamPosition } from '@almanac/bus';

export interface Fill {
  /** Whether its topic is unchanged since the request. */
  readonly fresh: boolean;
  /** How far changes had arrived before the request. */
  readonly since: StreamPosition;
  end(): void;
}

export type Fills = ReturnType<typeof createFills>;

/** Prevents caching an answer that was requested before a change and arrived after it. */
export const createFills = () => {
  const open = new Map<string, Set<{ fresh: boolean }>>();
  const invalidateSet = (set: Set<{ fresh: boolean }> | undefined): void =>
    set?.forEach((fill) => (fill.fresh = false));
  const leave = (topic: string, fill: { fresh: boolean }): void => {
    const set = open.get(topic);
    set?.delete(fill);
    if (set?.size === 0) open.delete(topic);
  };
  return {
    begin: (topics: readonly string[], since: StreamPosition = []): Fill => {
      const fill = { fresh: true, since, end: () => topics.forEach((topic) => leave(topic, fill)) };
      for (const topic of topics) {
        const set = open.get(topic) ?? new Set();
        set.add(fill);
        open.set(topic, set);
      }
      return fill;
    },
    /** Marks running fills of this topic. Their answers may be older than the change, so they must not be cached. */
    invalidate: (topic: string) => invalidateSet(open.get(topic)),
    invalidateAll: () => open.forEach(invalidateSet),
  };
};
