import { useEffect, useState } from 'react';
import type { Signal } from './signal.js';

/** The value of a signal after it has rested: what is worth a request. */
export const useSettled = <Value>(signal: Signal<Value>, pauseMs: number): Value => {
  const [settled, setSettled] = useState(signal.get);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = signal.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(() => setSettled(signal.get()), pauseMs);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [signal, pauseMs]);
  return settled;
};
