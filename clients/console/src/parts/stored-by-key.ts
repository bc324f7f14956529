/** Values that this browser remembers, one for each key: what one person has chosen is not for the next one who signs in here. */
export interface StoredByKey<Value> {
  /** What the browser has stored now. The same text is the same value. */
  readonly read: (keyId: string) => Value;
  /** Starts from what is stored now, because other tabs of this browser change it, too. */
  readonly change: (keyId: string, change: (value: Value) => Value) => void;
  /** The listener also hears of what another tab has changed. */
  readonly subscribe: (listener: () => void) => () => void;
}

interface Known<Value> {
  /** What was stored when the value was read. Undefined: this browser refuses storage, so values last as long as the page. */
  readonly text: string | null | undefined;
  readonly value: Value;
}

/** `parse` reads what is stored, which can be of another release, or of somebody's hand. Null: nothing is. */
export const storedByKey = <Value>(prefix: string, parse: (text: string | null) => Value): StoredByKey<Value> => {
  const listeners = new Set<() => void>();
  const known = new Map<string, Known<Value>>();
  const textOf = (keyId: string): string | null | undefined => {
    try {
      return localStorage.getItem(`${prefix}${keyId}`);
    } catch {
      return undefined;
    }
  };
  const read = (keyId: string): Value => {
    const text = textOf(keyId);
    const before = known.get(keyId);
    if (before !== undefined && before.text === text) return before.value;
    const value = parse(text ?? null);
    known.set(keyId, { text, value });
    return value;
  };
  const write = (keyId: string, value: Value): void => {
    try {
      localStorage.setItem(`${prefix}${keyId}`, JSON.stringify(value));
    } catch {
      // It then lasts as long as the page, or until another tab can store one.
    }
    known.set(keyId, { text: textOf(keyId), value });
    for (const listener of listeners) listener();
  };
  return {
    read,
    change: (keyId, change) => {
      const before = read(keyId);
      const after = change(before);
      if (after !== before) write(keyId, after);
    },
    subscribe: (listener) => {
      const onStorage = ({ key }: StorageEvent): void => {
        // Null: all of it was removed.
        if (key === null || key.startsWith(prefix)) listener();
      };
      listeners.add(listener);
      window.addEventListener('storage', onStorage);
      return () => {
        listeners.delete(listener);
        window.removeEventListener('storage', onStorage);
      };
    },
  };
};
