/** A map of at most `max` entries; the one that was used longest ago goes first. */
export interface Lru<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  clear(): void;
}

export const createLru = <Value>(max: number): Lru<Value> => {
  const entries = new Map<string, Value>();
  /** The one used last stands at the end already. */
  let last: string | undefined;
  return {
    get: (key) => {
      const value = entries.get(key);
      if (value === undefined || key === last) return value;
      last = key;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set: (key, value) => {
      last = key;
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= max) return;
      for (const oldest of entries.keys()) {
        entries.delete(oldest);
        return;
      }
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  };
};
