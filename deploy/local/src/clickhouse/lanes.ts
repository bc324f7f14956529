import { Session } from 'chdb';
import { EngineError } from './errors.js';
import { quote } from './params.js';

/**
 * Reads: answers kept whole in the session's buffer. Streams: answers through a pipe, as slow as their reader.
 * Writes: inserts and schema. Control: KILL and the analyzer, never behind anything long.
 */
export type LaneKind = 'read' | 'stream' | 'write' | 'control';

/** One connection of the engine; it runs one statement at a time and keeps what SET and USE left in it. */
export interface Lane {
  readonly session: Session;
  readonly pipe: string;
  readonly settings: Map<string, string>;
  database: string;
}

/** What the session must be set to for a statement. */
export interface Surroundings {
  readonly database: string;
  readonly settings: ReadonlyMap<string, string>;
}

interface Waiting {
  readonly wake: (lane: Lane) => void;
}

/** Lanes of one kind: taken by one statement at a time, the others wait in order. */
export const makeLanes = (path: string, pipes: readonly string[]) => {
  const lanes = pipes.map((pipe): Lane => ({
    session: new Session(path),
    pipe,
    settings: new Map(),
    database: 'default',
  }));
  const idle = [...lanes];
  const waiting = new Set<Waiting>();

  const free = (lane: Lane): void => {
    const [next] = waiting;
    if (next === undefined) idle.push(lane);
    else {
      waiting.delete(next);
      next.wake(lane);
    }
  };
  const take = (wanted: Surroundings, signal: AbortSignal): Promise<Lane> => {
    const at = idle.findIndex((lane) => fits(lane, wanted));
    const [lane] = at === -1 ? idle.splice(0, 1) : idle.splice(at, 1);
    return lane === undefined ? wait(waiting, signal) : Promise.resolve(lane);
  };
  const use = async <T>(wanted: Surroundings, signal: AbortSignal, work: (lane: Lane) => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    const lane = await take(wanted, signal);
    try {
      await surround(lane, wanted);
      return await work(lane);
    } finally {
      // A killed query stays in system.processes, with what it holds, until its session runs the next one.
      if (signal.aborted) await rinse(lane);
      free(lane);
    }
  };
  return { use, close: () => lanes.forEach((lane) => lane.session.close()) };
};

const rinse = async (lane: Lane): Promise<void> => {
  try {
    await lane.session.queryAsync('SELECT 1');
  } catch (error) {
    console.error(`A session did not recover from a killed query: ${String(error)}`);
  }
};

const wait = (waiting: Set<Waiting>, signal: AbortSignal): Promise<Lane> =>
  new Promise((resolve, reject) => {
    const leave = (): void => {
      waiting.delete(entry);
      reject(new EngineError(394, 'QUERY_WAS_CANCELLED', 'The client hung up while its query was waiting.'));
    };
    const entry: Waiting = {
      wake: (lane) => {
        signal.removeEventListener('abort', leave);
        resolve(lane);
      },
    };
    waiting.add(entry);
    signal.addEventListener('abort', leave, { once: true });
  });

const fits = (lane: Lane, wanted: Surroundings): boolean =>
  lane.database === wanted.database && changesOf(lane, wanted).length === 0;

/** Statements mostly come with the settings of the one before, so this is mostly nothing; a SET costs 0.2 ms. */
const surround = async (lane: Lane, wanted: Surroundings): Promise<void> => {
  if (lane.database !== wanted.database) {
    await lane.session.queryAsync(`USE \`${wanted.database.replace(/[\\`]/g, '\\$&')}\``);
    lane.database = wanted.database;
  }
  const changes = changesOf(lane, wanted);
  if (changes.length === 0) return;
  try {
    await lane.session.queryAsync(`SET ${changes.join(', ')}`);
  } catch (error) {
    // A refused value may leave a part of the list applied.
    const touched = new Set([...lane.settings.keys(), ...wanted.settings.keys()]);
    await lane.session.queryAsync(`SET ${[...touched].map((name) => `${name} = DEFAULT`).join(', ')}`);
    lane.settings.clear();
    throw error;
  }
  lane.settings.clear();
  for (const [name, value] of wanted.settings) lane.settings.set(name, value);
};

const changesOf = (lane: Lane, wanted: Surroundings): string[] => [
  ...[...lane.settings.keys()].filter((name) => !wanted.settings.has(name)).map((name) => `${name} = DEFAULT`),
  ...[...wanted.settings]
    .filter(([name, value]) => lane.settings.get(name) !== value)
    .map(([name, value]) => `${name} = ${quote(value)}`),
];
