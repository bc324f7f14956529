/** Who wants to hear of changes, by the name of what changes. */
export interface Watchers {
  /** Calls it at each change from now on, until the function that it gives is called. */
  watch(name: string, listener: () => void): () => void;
  notify(name: string): void;
}

export const createWatchers = (): Watchers => {
  const watching = new Map<string, Set<() => void>>();
  return {
    watch: (name, listener) => {
      const all = watching.get(name) ?? new Set();
      watching.set(name, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0 && watching.get(name) === all) watching.delete(name);
      };
    },
    notify: (name) => {
      for (const listener of watching.get(name) ?? []) listener();
    },
  };
};
