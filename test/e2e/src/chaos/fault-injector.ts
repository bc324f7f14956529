import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@almanac/system';
import { eventually, suspendProcess } from '@almanac/testing';

const pauseMs = 1_000;

export interface FaultInjector {
  /** How often each thing was done, such as `kill export`. */
  readonly done: Readonly<Record<string, number>>;
  /** Whether everything was done at least once. */
  readonly hasInjectedAll: () => boolean;
  /** Resolves when everything runs again. */
  stop(): Promise<void>;
}

export interface FaultInjectorOptions {
  readonly random: () => number;
  /** Aborted when a thing cannot be done, such as a server that does not come back. */
  readonly stopped: AbortController;
  /** How far people have got, such as the answers that they have. */
  readonly progress: () => number;
  /** How far they get between two things of a deck, about: so as much is done amid it on a slow machine as on a quick one. */
  readonly progressBetween: number;
}

/** What may be done, by its name. */
export type FaultSet = Readonly<Record<string, () => Promise<void>>>;

/**
 * Does what the decks name, for as long as it is let: of one deck one thing after the other, in an order of chance, and what
 * stands in one deck beside what stands in another, so that they meet.
 */
export const injectFaults = (
  faultSets: readonly FaultSet[],
  { random, stopped: over, progress, progressBetween }: FaultInjectorOptions,
): FaultInjector => {
  const done: Record<string, number> = {};
  let stopped = false;
  const worker = async (faultSet: FaultSet): Promise<void> => {
    while (!stopped) {
      for (const [name, act] of shuffled(Object.entries(faultSet), random)) {
        const next = progress() + progressBetween * (0.5 + random());
        while (!stopped && progress() < next) await delay(20);
        if (stopped) return;
        await act();
        done[name] = (done[name] ?? 0) + 1;
      }
    }
  };
  const workers = Promise.all(faultSets.map(worker));
  workers.catch((error: unknown) => over.abort(error));
  return {
    done,
    hasInjectedAll: () => faultSets.every((faultSet) => Object.keys(faultSet).every((name) => name in done)),
    stop: async () => {
      stopped = true;
      await workers;
    },
  };
};

/** `kill -9`, and a start after a while: again and again, as an orchestrator does, while a server that it needs is away. */
export const killFaults =
  (system: System, random: () => number) =>
  (name: string): FaultSet => ({
    [`kill ${name}`]: async () => {
      await system.kill(name);
      await delay(random() * pauseMs);
      await eventually(() => system.restart(name), { timeoutMs: 120_000 });
    },
  });

/** The export service stands still for so long, by SIGSTOP. */
export const freezeExport = async (system: System, forMs: number): Promise<void> => {
  const pid = system.services.get('export')?.pid;
  if (pid === undefined) throw new Error('the export service does not run');
  const goOn = await suspendProcess(pid);
  try {
    await delay(forMs);
  } finally {
    goOn();
  }
};

const shuffled = <T>(items: readonly T[], random: () => number): T[] =>
  items
    .map((item) => ({ thing: item, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ thing }) => thing);
