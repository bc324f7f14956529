/** Runs one of several pieces of work. Those that come first begin first. */
export type InTurn = <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>;

/** At most so many run at once, and the others wait. What is cancelled while it waits never begins. */
export const atMost = (most: number): InTurn => {
  let running = 0;
  const waiting = new Set<() => void>();
  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        waiting.delete(begin);
        signal.removeEventListener('abort', cancel);
        running += 1;
        resolve();
      };
      const cancel = (): void => {
        waiting.delete(begin);
        reject(signal.reason as Error);
      };
      if (signal.aborted) return cancel();
      if (running < most) return begin();
      waiting.add(begin);
      signal.addEventListener('abort', cancel, { once: true });
      return undefined;
    });
  return async (work, signal) => {
    await turn(signal);
    try {
      return await work();
    } finally {
      running -= 1;
      const [next] = waiting;
      next?.();
    }
  };
};

/** Reads of many prices. More at once only wait in the server, and then those that are in sight wait with them. */
export const readInTurn = atMost(4);
