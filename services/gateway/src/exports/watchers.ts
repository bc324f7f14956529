export const createWatchers = () => {
  const watching = new Map<string, Set<() => void>>();
  return {
    /** Calls the listener on each change, until the returned function is called. */
    watch: (name: string, listener: () => void): (() => void) => {
      const all = watching.get(name) ?? new Set();
      watching.set(name, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0 && watching.get(name) === all) watching.delete(name);
      };
    },
    notify: (name: string) => {
      for (const listener of watching.get(name) ?? []) listener();
    },
  };
};
