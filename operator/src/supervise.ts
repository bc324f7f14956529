import { setTimeout as delay } from 'node:timers/promises';
import type { RunningProcess } from '@almanac/local-servers';
import { userMessageOf } from './error-message.js';

/** Starts one process. Rejects if it cannot start, and soon after the signal is aborted. */
export type Starter<P extends RunningProcess = RunningProcess> = (stopping: AbortSignal) => Promise<P>;

export type Starters<P extends RunningProcess> = ReadonlyMap<string, Starter<P>>;

export interface SupervisorOptions {
  readonly print: (line: string) => void;
  /** Ends starts and restarts that have not finished. The caller then calls `stop`. */
  readonly signal?: AbortSignal | undefined;
}

export interface Supervisor<P extends RunningProcess = RunningProcess> {
  readonly running: ReadonlyMap<string, P>;
  /** Starts all. Rejects as soon as one cannot start. */
  startAll(): Promise<void>;
  start(name: string): Promise<void>;
  /** Ends a process that runs but does not work, and restarts it like one that died. */
  restart(name: string, reason: string): Promise<void>;
  /** Kills one like `kill -9`. It stays down until it is started. */
  kill(name: string): Promise<void>;
  /** Ends one with SIGTERM. It stays down until it is started. */
  end(name: string): Promise<void>;
  /** Starts a second process, and ends the old one with SIGTERM when the new one is ready, like a rolling update. */
  replace(name: string): Promise<void>;
  /** Includes those that are starting, or that wait for a restart. */
  stop(): Promise<void>;
}

/** A process that ran this long is restarted at once when it dies. */
const stableMs = 60_000;
const shortestDelayMs = 250;
const longestDelayMs = 30_000;

/** The wait before a restart: none after the first failure, then 0.25 s, doubled up to 30 s, of which half is random. */
export const restartDelayMs = (failures: number, random = Math.random()): number =>
  failures <= 1 ? 0 : Math.min(longestDelayMs, shortestDelayMs * 2 ** (failures - 2)) * (0.5 + random / 2);

/** Restarts processes that die, without a limit, and prints why. */
export const supervise = <P extends RunningProcess>(
  starters: Starters<P>,
  { print, signal }: SupervisorOptions,
): Supervisor<P> => {
  const running = new Map<string, P>();
  const work = trackWork();
  const failures = countFailures();
  const ended = new AbortController();
  const stopping = signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal]);

  const begin = async (name: string): Promise<number> => {
    const starter = starters.get(name);
    if (starter === undefined) throw new Error(`there is no process ${name}`);
    const started = await starter(stopping);
    running.set(name, started);
    failures.started(name);
    started.onExit((reason) => {
      if (running.get(name) !== started) return;
      running.delete(name);
      void work.track(restart(name, reason.message));
    });
    return started.pid;
  };
  const restart = (name: string, reason: string): Promise<void> =>
    startUntilItRuns({ name, begin: () => begin(name), failed: () => failures.next(name), print, stopping }, reason);
  const start = async (name: string): Promise<void> => {
    await work.track(begin(name));
  };
  return {
    running,
    start,
    startAll: async () => {
      await Promise.all([...starters.keys()].map(start));
    },
    restart: async (name, reason) => {
      // Otherwise it is being restarted already, or was ended on purpose.
      if (running.has(name)) await work.track(takeDown(running, name).then(() => restart(name, reason)));
    },
    kill: (name) => takeDown(running, name, 'SIGKILL'),
    end: (name) => takeDown(running, name),
    replace: async (name) => {
      const old = running.get(name);
      await start(name);
      await old?.stop();
    },
    stop: async () => {
      ended.abort();
      await work.allSettled();
      await Promise.all([...running.values()].map((one) => one.stop()));
    },
  };
};

interface Restart {
  readonly name: string;
  /** Returns the process id. */
  readonly begin: () => Promise<number>;
  /** Counts a failure, and returns the failures in a row. */
  readonly failed: () => number;
  readonly print: (line: string) => void;
  readonly stopping: AbortSignal;
}

const startUntilItRuns = async ({ name, begin, failed, print, stopping }: Restart, reason: string): Promise<void> => {
  for (let why = reason; !stopping.aborted;) {
    const waitMs = restartDelayMs(failed());
    print(`${why}\n${waitMs === 0 ? 'Restarting it.' : `Restarting it in ${(waitMs / 1_000).toFixed(1)} s.`}`);
    try {
      await delay(waitMs, undefined, { signal: stopping });
      print(`Restarted ${name} (process ${await begin()}).`);
      return;
    } catch (error) {
      why = userMessageOf(error);
    }
  }
};

/** Starts and restarts that `stop` must await. */
const trackWork = () => {
  const running = new Set<Promise<unknown>>();
  return {
    track: async <T>(work: Promise<T>): Promise<T> => {
      running.add(work);
      try {
        return await work;
      } finally {
        running.delete(work);
      }
    },
    allSettled: () => Promise.allSettled(running),
  };
};

/** Failures in a row of each process: deaths, and starts that failed. A stable run ends the row. */
const countFailures = () => {
  const inARow = new Map<string, number>();
  const startedAt = new Map<string, number>();
  return {
    started: (name: string): void => void startedAt.set(name, performance.now()),
    next: (name: string): number => {
      const ranMs = performance.now() - (startedAt.get(name) ?? performance.now());
      const count = ranMs >= stableMs ? 1 : (inARow.get(name) ?? 0) + 1;
      startedAt.delete(name);
      inARow.set(name, count);
      return count;
    },
  };
};

const takeDown = async (running: Map<string, RunningProcess>, name: string, signal?: 'SIGKILL'): Promise<void> => {
  const one = running.get(name);
  if (one === undefined) throw new Error(`${name} does not run`);
  running.delete(name);
  if (signal !== undefined) process.kill(one.pid, signal);
  // This waits for the end of a killed process and marks it as expected.
  await one.stop();
};
