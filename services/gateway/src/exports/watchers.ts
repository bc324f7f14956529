export interface Watchers {
  /** Calls the listener on each change, until the returned function is called. */
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
