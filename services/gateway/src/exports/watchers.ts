/** Who wants to hear of changes, by the name of what changes. */
export interface Watchers {
  /** Calls it at each change from now on, until the function that it gives is called. */
  watch(name: string, heard: () => void): () => void;
  tell(name: string): void;
}

export const createWatchers = (): Watchers => {
  const watching = new Map<string, Set<() => void>>();
  return {
    watch: (name, heard) => {
      const all = watching.get(name) ?? new Set();
      watching.set(name, all.add(heard));
      return () => {
        all.delete(heard);
        if (all.size === 0 && watching.get(name) === all) watching.delete(name);
      };
    },
    tell: (name) => {
      for (const heard of watching.get(name) ?? []) heard();
    },
  };
};
