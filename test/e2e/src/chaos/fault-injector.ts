import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@almanac/operator';
import { eventually, suspendProcess } from '@almanac/testing';

const pauseMs = 1_000;

export interface FaultInjector {
  /** How often each fault was injected, by a name such as `kill export`. */
  readonly done: Readonly<Record<string, number>>;
  /** Whether every fault was injected at least once. */
  readonly hasInjectedAll: () => boolean;
  /** Resolves when everything runs again. */
  stop(): Promise<void>;
}

export interface FaultInjectorOptions {
  readonly random: () => number;
  /** Aborted when a fault fails, such as a server that does not restart. */
  readonly stopped: AbortController;
  /** The progress of the clients, such as their number of answers. */
  readonly progress: () => number;
  /** About how much progress comes between two faults of a group: so a slow and a quick machine see as much work. */
  readonly progressBetween: number;
}

/** Faults by name. */
export type FaultSet = Readonly<Record<string, () => Promise<void>>>;

/**
 * Injects faults until it is stopped: one after another from each group, in random order, and several groups
 * concurrently, so that their faults overlap.
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

/**
 * Kills with `kill -9`, and restarts after a while: repeatedly, as an orchestrator does, while a server is unavailable.
 */
export const killFaults =
  (system: System, random: () => number) =>
  (name: string): FaultSet => ({
    [`kill ${name}`]: async () => {
      await system.kill(name);
      await delay(random() * pauseMs);
      await eventually(() => system.restart(name), { timeoutMs: 120_000 });
    },
  });

/** Freezes the export service for this long with SIGSTOP. */
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
