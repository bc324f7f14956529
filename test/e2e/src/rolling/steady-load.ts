import { setTimeout as delay } from 'node:timers/promises';

/** One question of the load; answers what became of it. */
export type Ask = (n: number) => Promise<string>;

export interface LoadFigures {
  readonly asked: number;
  /** How often each came; `error: …` for a request that had no answer. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly seconds: number;
}

/**
 * Asks so many times a second, whether answers come or not, as many clients do; `stop` resolves when every question has
 * its outcome.
 */
export const steadyLoad = (perSecond: number, ask: Ask): { stop(): Promise<LoadFigures> } => {
  const outcomes: Record<string, number> = {};
  const open = new Set<Promise<void>>();
  const startedAt = performance.now();
  let asked = 0;
  let stopped = false;
  const one = async (n: number): Promise<void> => {
    const outcome = await ask(n).catch((error: unknown) => `error: ${reasonOf(error)}`);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  const pace = async (): Promise<void> => {
    while (!stopped) {
      const due = ((performance.now() - startedAt) / 1_000) * perSecond;
      for (; asked < due; asked += 1) {
        const asking: Promise<void> = one(asked).finally(() => open.delete(asking));
        open.add(asking);
      }
      await delay(5);
    }
  };
  const paced = pace();
  return {
    stop: async () => {
      stopped = true;
      await paced;
      const seconds = (performance.now() - startedAt) / 1_000;
      await Promise.all(open);
      return { asked, outcomes, seconds };
    },
  };
};

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
};
