import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@almanac/system';
import { eventually, freeze } from '@almanac/testing';

const pauseMs = 1_000;

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
  /** Aborted when a thing cannot be done, such as a server that does not come back. */
  readonly over: AbortController;
  /** How far people have got, such as the answers that they have. */
  readonly progress: () => number;
  /** How far they get between two things of a deck, about: so as much is done amid it on a slow machine as on a quick one. */
  readonly progressBetween: number;
}

/** What may be done, by its name. */
export type Deck = Readonly<Record<string, () => Promise<void>>>;

/**
 * Does what the decks name, for as long as it is let: of one deck one thing after the other, in an order of chance, and what
 * stands in one deck beside what stands in another, so that they meet.
 */
export const wreak = (decks: readonly Deck[], { random, over, progress, progressBetween }: HavocOptions): Havoc => {
  const done: Record<string, number> = {};
  let stopped = false;
  const lane = async (deck: Deck): Promise<void> => {
    while (!stopped) {
      for (const [name, act] of shuffled(Object.entries(deck), random)) {
        const next = progress() + progressBetween * (0.5 + random());
        while (!stopped && progress() < next) await delay(20);
        if (stopped) return;
        await act();
        done[name] = (done[name] ?? 0) + 1;
      }
    }
  };
  const lanes = Promise.all(decks.map(lane));
  lanes.catch((error: unknown) => over.abort(error));
  return {
    done,
    isWhole: () => decks.every((deck) => Object.keys(deck).every((name) => name in done)),
    stop: async () => {
      stopped = true;
      await lanes;
    },
  };
};

/** `kill -9`, and a start after a while: again and again, as an orchestrator does, while a server that it needs is away. */
export const killer =
  (system: System, random: () => number) =>
  (name: string): Deck => ({
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
  const goOn = await freeze(pid);
  try {
    await delay(forMs);
  } finally {
    goOn();
  }
};

const shuffled = <T>(things: readonly T[], random: () => number): T[] =>
  things
    .map((thing) => ({ thing, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ thing }) => thing);
