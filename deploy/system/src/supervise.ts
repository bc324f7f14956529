import { LocalServerError, type RunningProcess } from '@almanac/local';

/** Restarts of one service within a minute before the entire system stops. */
const restartsMax = 3;
const restartWindowMs = 60_000;

/** Starts one process. Rejects with a LocalServerError after the signal is aborted. */
export type Starter<P extends RunningProcess = RunningProcess> = (stopping: AbortSignal) => Promise<P>;

export type Starters<P extends RunningProcess> = ReadonlyMap<string, Starter<P>>;
type Print = (line: string) => void;

export interface Supervisor<P extends RunningProcess = RunningProcess> {
  readonly running: ReadonlyMap<string, P>;
  /** Resolves with the reason when one died too often. */
  readonly failed: Promise<LocalServerError>;
  /** Starts all. Rejects as soon as one cannot start. */
  startAll(): Promise<void>;
  start(name: string): Promise<void>;
  /** Kills one like `kill -9`. It stays down until it is started. */
  kill(name: string): Promise<void>;
  /** Ends one with SIGTERM. It stays down until it is started. */
  end(name: string): Promise<void>;
  /** Starts a second process, and ends the old one with SIGTERM when the new one is ready, like a rolling update. */
  replace(name: string): Promise<void>;
  /** Includes those that are starting. */
  stop(): Promise<void>;
}

/** Restarts processes that die and prints why. A process that keeps dying resolves `failed`. */
export const supervise = <P extends RunningProcess>(starters: Starters<P>, print: Print): Supervisor<P> => {
  const running = new Map<string, P>();
  const starting = new Set<Promise<unknown>>();
  const diedAt = new Map<string, number[]>();
  const stopping = new AbortController();
  let fail: (reason: LocalServerError) => void = () => undefined;
  const failed = new Promise<LocalServerError>((resolve) => (fail = resolve));

  const begin = async (name: string): Promise<void> => {
    const starter = starters.get(name);
    if (starter === undefined) throw new Error(`there is no service ${name}`);
    const service = await starter(stopping.signal);
    running.set(name, service);
    service.onExit((reason) => void restartFailed(name, reason));
  };
  const start = async (name: string): Promise<void> => {
    const startup = begin(name);
    starting.add(startup);
    try {
      await startup;
    } finally {
      starting.delete(startup);
    }
  };
  const restartFailed = async (name: string, reason: LocalServerError): Promise<void> => {
    running.delete(name);
    if (stopping.signal.aborted) return;
    const recent = (diedAt.get(name) ?? []).filter((at) => at > performance.now() - restartWindowMs);
    diedAt.set(name, [...recent, performance.now()]);
    if (recent.length >= restartsMax) {
      const times = `${recent.length + 1} times within a minute`;
      return fail(new LocalServerError(`The ${name} service stopped unexpectedly ${times}. ${reason.message}`));
    }
    print(`${reason.message}\nRestarting it.`);
    try {
      await start(name);
    } catch (error) {
      fail(error instanceof LocalServerError ? error : new LocalServerError(String(error), { cause: error }));
    }
  };
  return {
    running,
    failed,
    start,
    startAll: async () => {
      await Promise.all([...starters.keys()].map(start));
    },
    kill: (name) => takeDown(running, name, 'SIGKILL'),
    end: (name) => takeDown(running, name),
    replace: async (name) => {
      const old = running.get(name);
      await start(name);
      await old?.stop();
    },
    stop: async () => {
      stopping.abort();
      await Promise.allSettled(starting);
      await Promise.all([...running.values()].map((service) => service.stop()));
    },
  };
};

const takeDown = async (running: Map<string, RunningProcess>, name: string, signal?: 'SIGKILL'): Promise<void> => {
  const service = running.get(name);
  if (service === undefined) throw new Error(`${name} does not run`);
  running.delete(name);
  if (signal !== undefined) process.kill(service.pid, signal);
  // This waits for the end of a killed process and marks it as expected.
  await service.stop();
};
