/** Values that this browser remembers, one for each key: what one person has chosen is not for the next one who signs in here. */
export interface StoredByKey<Value> {
  readonly read: (keyId: string) => Value;
  /** What the browser has stored now. Another tab can have changed it. */
  readonly readStored: (keyId: string) => Value;
  readonly write: (keyId: string, value: Value) => void;
  readonly subscribe: (listener: () => void) => () => void;
  /** Also calls the listener when another tab has changed a value. */
  readonly subscribeToTabs: (listener: () => void) => () => void;
}

/** `parse` reads what is stored, which can be of another release, or of somebody's hand. Null: nothing is. */
export const storedByKey = <Value>(prefix: string, parse: (text: string | null) => Value): StoredByKey<Value> => {
  const listeners = new Set<() => void>();
  const known = new Map<string, Value>();
  /** A browser can refuse storage. Values then last as long as the page. */
  const textOf = (keyId: string): string | null => {
    try {
      return localStorage.getItem(`${prefix}${keyId}`);
    } catch {
      return null;
    }
  };
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  const read = (keyId: string): Value => {
    const value = known.get(keyId) ?? parse(textOf(keyId));
    known.set(keyId, value);
    return value;
  };
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  let following = 0;
  const onStorage = ({ key, newValue }: StorageEvent): void => {
    if (key?.startsWith(prefix) !== true) return;
    known.set(key.slice(prefix.length), parse(newValue));
    notify();
  };
  return {
    read,
    readStored: (keyId) => {
      const text = textOf(keyId);
      return text === null ? read(keyId) : parse(text);
    },
    write: (keyId, value) => {
      known.set(keyId, value);
      try {
        localStorage.setItem(`${prefix}${keyId}`, JSON.stringify(value));
      } catch {
        // It then lasts as long as the page.
      }
      notify();
    },
    subscribe,
    subscribeToTabs: (listener) => {
      if (following === 0) window.addEventListener('storage', onStorage);
      following += 1;
      const stop = subscribe(listener);
      return () => {
        following -= 1;
        if (following === 0) window.removeEventListener('storage', onStorage);
        stop();
      };
    },
  };
};
