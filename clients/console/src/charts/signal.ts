import { useCallback, useSyncExternalStore } from 'react';
import { perFrame } from './per-frame.js';

/** A value that charts follow without a render of React for each movement. */
export interface Signal<Value> {
  readonly get: () => Value;
  readonly set: (value: Value) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export const createSignal = <Value>(initial: Value): Signal<Value> => {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

/** Renders at most once in a frame. */
export const useSignal = <Value>({ subscribe, get }: Signal<Value>): Value => {
  const follow = useCallback(
    (render: () => void) => {
      const frame = perFrame(render);
      const stop = subscribe(frame.request);
      return () => {
        stop();
        frame.stop();
      };
    },
    [subscribe],
  );
  return useSyncExternalStore(follow, get);
};
