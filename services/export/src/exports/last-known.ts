import { setTimeout as pause } from 'node:timers/promises';
import { leaderWait, type Running } from '@almanac/bus';
import { withTimeout } from '@almanac/runtime';

const everyMs = 1_000;
/** A value that only a leader knows. */
export interface LastKnown<T> extends Running {
  /** From the leader. */
  read(): Promise<T>;
  /** From the leader, or the last one that it told, while it does not answer. Throws what the leader's answer throws. */
  current(): Promise<T>;
}

/** Reads a value each second, so that one is known that is not older than `ageMsMax` while nobody answers. */
export const lastKnown = <T>(load: () => Promise<T>, ageMsMax: number): LastKnown<T> => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let known: { readonly value: T; readonly at: number } | undefined;
  const wait = leaderWait();
  const read = async (): Promise<T> => {
    const at = performance.now();
    const value = await load();
    wait.answered();
    if (known === undefined || known.at < at) known = { value, at };
    return value;
  };
  const reading = (async () => {
    while (!signal.aborted) {
      await pause(everyMs, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted && performance.now() - (known?.at ?? 0) > everyMs) await read().catch(() => undefined);
    }
  })();
  return {
    read,
    current: async () => {
      const fresh = read();
      const answered = await withTimeout(
        wait.ms,
        fresh.then((value) => ({ value })),
        () => null,
      ).catch(() => null);
      if (answered !== null) return answered.value;
      wait.wasSilent();
      if (known !== undefined && performance.now() - known.at < ageMsMax) return known.value;
      return fresh;
    },
    stop: async () => {
      stopping.abort();
      await reading;
    },
  };
};
