import { Session } from 'chdb';
import { EngineError } from './errors.js';
import { quote } from './params.js';

/** `read` buffers answers, `stream` pipes them, `write` inserts, `control` kills and analyzes without waiting. */
export type SessionKind = 'read' | 'stream' | 'write' | 'control';

/** One connection of the engine. It runs one statement at a time and remembers SET and USE. */
export interface PooledSession {
  readonly session: Session;
  readonly pipe: string;
  readonly settings: Map<string, string>;
  database: string;
}

export interface SessionSettings {
  readonly database: string;
  readonly settings: ReadonlyMap<string, string>;
}

export interface EngineFiles {
  /** Data. */
  readonly path: string;
  /** Arguments of ClickHouse, such as `--config-file=…`. */
  readonly engineArguments: readonly string[];
}

interface Waiting {
  readonly wake: (session: PooledSession) => void;
}

/** Sessions of one kind. Each runs one statement at a time, and further statements wait in order. */
export const createSessionPool = ({ path, engineArguments }: EngineFiles, pipes: readonly string[]) => {
  const sessions = pipes.map((pipe): PooledSession => ({
    session: new Session(path, { connectionArgs: [...engineArguments] }),
    pipe,
    settings: new Map(),
    database: 'default',
  }));
  const idle = [...sessions];
  const waiting = new Set<Waiting>();

  const free = (session: PooledSession): void => {
    const [next] = waiting;
    if (next === undefined) idle.push(session);
    else {
      waiting.delete(next);
      next.wake(session);
    }
  };
  const take = (settings: SessionSettings, signal: AbortSignal): Promise<PooledSession> => {
    const at = idle.findIndex((session) => hasSettings(session, settings));
    const [session] = at === -1 ? idle.splice(0, 1) : idle.splice(at, 1);
    return session === undefined ? wait(waiting, signal) : Promise.resolve(session);
  };
  const use = async <T>(
    settings: SessionSettings,
    signal: AbortSignal,
    work: (session: PooledSession) => Promise<T>,
  ): Promise<T> => {
    signal.throwIfAborted();
    const session = await take(settings, signal);
    let hasEnded = false;
    try {
      await applySettings(session, settings);
      const result = await work(session);
      hasEnded = !signal.aborted;
      return result;
    } finally {
      // The engine puts what a failed query has written before the next answer of its session (26.7). A killed query stays
      // in system.processes, with its resources, until its session runs another one.
      if (!hasEnded) await resetSession(session);
      free(session);
    }
  };
  return { use, close: () => sessions.forEach((session) => session.session.close()) };
};

const resetSession = async (session: PooledSession): Promise<void> => {
  try {
    await session.session.queryAsync('SELECT 1');
  } catch (error) {
    console.error(`A session did not recover from a failed query: ${String(error)}`);
  }
};

const wait = (waiting: Set<Waiting>, signal: AbortSignal): Promise<PooledSession> =>
  new Promise((resolve, reject) => {
    const leave = (): void => {
      waiting.delete(entry);
      reject(new EngineError(394, 'QUERY_WAS_CANCELLED', 'The client hung up while its query was waiting.'));
    };
    const entry: Waiting = {
      wake: (session) => {
        signal.removeEventListener('abort', leave);
        resolve(session);
      },
    };
    waiting.add(entry);
    signal.addEventListener('abort', leave, { once: true });
  });

const hasSettings = (session: PooledSession, settings: SessionSettings): boolean =>
  session.database === settings.database && changesOf(session, settings).length === 0;

/** Most statements have the settings of the previous one, so mostly nothing changes. A SET takes 0.2 ms. */
const applySettings = async (session: PooledSession, settings: SessionSettings): Promise<void> => {
  if (session.database !== settings.database) {
    await session.session.queryAsync(`USE \`${settings.database.replace(/[\\`]/g, '\\$&')}\``);
    session.database = settings.database;
  }
  const changes = changesOf(session, settings);
  if (changes.length === 0) return;
  try {
    await session.session.queryAsync(`SET ${changes.join(', ')}`);
  } catch (error) {
    // A refused value may leave part of the list applied.
    const touched = new Set([...session.settings.keys(), ...settings.settings.keys()]);
    await session.session.queryAsync(`SET ${[...touched].map((name) => `${name} = DEFAULT`).join(', ')}`);
    session.settings.clear();
    throw error;
  }
  session.settings.clear();
  for (const [name, value] of settings.settings) session.settings.set(name, value);
};

const changesOf = (session: PooledSession, settings: SessionSettings): string[] => [
  ...[...session.settings.keys()].filter((name) => !settings.settings.has(name)).map((name) => `${name} = DEFAULT`),
  ...[...settings.settings]
    .filter(([name, value]) => session.settings.get(name) !== value)
    .map(([name, value]) => `${name} = ${quote(value)}`),
];
