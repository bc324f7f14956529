import { setTimeout as delay } from 'node:timers/promises';

/** Sends one request of the load, and returns its outcome. */
export type LoadRequest = (n: number) => Promise<string>;

export interface LoadFigures {
  readonly sent: number;
  /** The count of each outcome. `error: …` is a request without an answer. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly seconds: number;
}

/**
 * Sends requests at a fixed rate, whether answers come or not, as many clients do. `stop` resolves when every request
 * has its outcome.
 */
export const steadyLoad = (perSecond: number, request: LoadRequest): { stop(): Promise<LoadFigures> } => {
  const outcomes: Record<string, number> = {};
  const open = new Set<Promise<void>>();
  const startedAt = performance.now();
  let sent = 0;
  let stopped = false;
  const one = async (n: number): Promise<void> => {
    const outcome = await request(n).catch((error: unknown) => `error: ${reasonOf(error)}`);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  const pace = async (): Promise<void> => {
    while (!stopped) {
      const dueCount = ((performance.now() - startedAt) / 1_000) * perSecond;
      for (; sent < dueCount; sent += 1) {
        const pending: Promise<void> = one(sent).finally(() => open.delete(pending));
        open.add(pending);
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
      return { sent, outcomes, seconds };
    },
  };
};

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
};
