/** Limits concurrent work, in the order of its requests. */
export interface Semaphore {
  /** Resolves with the function that releases the slot. */
  acquire(): Promise<() => void>;
}

export const semaphore = (max: number): Semaphore => {
  let free = max;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    acquire: async () => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return release;
    },
  };
};
