/** A bound on concurrent work, in the order of its requests. */
export interface Slots {
  /** Resolves with the function that returns the slot. */
  take(): Promise<() => void>;
}

export const slots = (max: number): Slots => {
  let free = max;
  const waiting: (() => void)[] = [];
  const giveBack = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    take: async () => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return giveBack;
    },
  };
};
