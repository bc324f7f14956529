import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@almanac/system';

const pauseMs = 1_000;
/** Answers that people get between two such things: so as much is done amid them on a slow machine as on a quick one. */
const answersBetween = 100;

export interface Havoc {
  /** How often each thing was done, such as `kill export`. */
  readonly done: Readonly<Record<string, number>>;
  /** Whether everything was done at least once. */
  readonly isWhole: () => boolean;
  /** Resolves when everything runs again. */
  stop(): Promise<void>;
}

export interface HavocOptions {
  readonly random: () => number;
  /** How long the export service is frozen: longer than the sweep needs to give up what it has reserved. */
  readonly freezeMs: number;
  /** How many answers people have got. */
  readonly answered: () => number;
  /** Sets requests going, so that there is something to be cut off; nobody waits for them here. */
  readonly burst: () => void;
}

/**
 * Kills services as `kill -9` does and freezes the export service by SIGSTOP, in an order of chance, for as long as it is
 * let; what happens to the export service happens beside what happens to the others, so that they meet.
 */
export const wreak = (system: System, { random, freezeMs, answered, burst }: HavocOptions): Havoc => {
  const kill = (name: string) => async (): Promise<void> => {
    await system.kill(name);
    await delay(random() * pauseMs);
    await system.restart(name);
  };
  const amid = (act: () => Promise<void>) => async (): Promise<void> => {
    burst();
    // A request is in the middle of its way through three services for some milliseconds.
    await delay(random() * 60);
    await act();
  };
  const decks: Readonly<Record<string, () => Promise<void>>>[] = [
    Object.fromEntries(['commerce', 'keys', 'gateway', 'gateway-2'].map((name) => [`kill ${name}`, kill(name)])),
    { 'kill export': amid(kill('export')), 'freeze export': amid(() => freeze(system, freezeMs)) },
  ];
  const done: Record<string, number> = {};
  let stopped = false;
  const lane = async (deck: Readonly<Record<string, () => Promise<void>>>): Promise<void> => {
    while (!stopped) {
      for (const [name, act] of shuffled(Object.entries(deck), random)) {
        const next = answered() + answersBetween * (0.5 + random());
        while (!stopped && answered() < next) await delay(20);
        if (stopped) return;
        await act();
        done[name] = (done[name] ?? 0) + 1;
      }
    }
  };
  const lanes = Promise.all(decks.map(lane));
  // What fails is told by `stop`.
  lanes.catch(() => undefined);
  return {
    done,
    isWhole: () => decks.every((deck) => Object.keys(deck).every((name) => name in done)),
    stop: async () => {
      stopped = true;
      await lanes;
    },
  };
};

const freeze = async (system: System, forMs: number): Promise<void> => {
  const pid = system.services.get('export')?.pid;
  if (pid === undefined) throw new Error('the export service does not run');
  process.kill(pid, 'SIGSTOP');
  try {
    await delay(forMs);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
};

const shuffled = <T>(things: readonly T[], random: () => number): T[] =>
  things
    .map((thing) => ({ thing, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ thing }) => thing);
