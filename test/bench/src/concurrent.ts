import { setTimeout as delay } from 'node:timers/promises';

/** Runs work for all items with limited concurrency. Returns the results in order. */
export const inParallel = async <T, R>(
  items: readonly T[],
  clients: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = [];
  const left = items.entries();
  const client = async (): Promise<void> => {
    for (const [at, item] of left) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return results;
};

interface Waiting {
  readonly pollMs?: number;
  readonly mostMs?: number;
  readonly signal?: AbortSignal;
}

/** Polls until `reasonToWait` finds none. Throws with the last one after `mostMs`. */
export const awaitNoReason = async (
  reasonToWait: () => Promise<string | undefined>,
  { pollMs = 100, mostMs = 600_000, signal }: Waiting = {},
): Promise<void> => {
  const deadline = performance.now() + mostMs;
  for (let reason = await reasonToWait(); reason !== undefined; reason = await reasonToWait()) {
    if (performance.now() > deadline) throw new Error(reason);
    await delay(pollMs, undefined, { ...(signal && { signal }) });
  }
};
