import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describeError, type EngineFailure, settled } from './errors.js';
import { quote } from './params.js';

interface Killer {
  /** Runs a statement on a session that is never busy for long. */
  readonly control: (sql: string) => Promise<unknown>;
  readonly onError: (error: EngineFailure) => void;
}

/** Kills statements in the engine when their signal aborts. A comment marks each: the engine assigns its own ids. */
export const abortable = ({ control, onError }: Killer) => {
  const active = new Set<Promise<unknown>>();
  const run = async <T>(signal: AbortSignal, work: (tag: string) => Promise<T>): Promise<T> => {
    const id = randomUUID();
    const state = { ended: false };
    const kill = (): void => void killUntil(state, () => control(killSql(id)));
    signal.throwIfAborted();
    signal.addEventListener('abort', kill, { once: true });
    try {
      return await work(`/*${id}*/ `);
    } catch (error) {
      onError(describeError(error));
      throw error;
    } finally {
      state.ended = true;
      signal.removeEventListener('abort', kill);
    }
  };
  const tracked = async <T>(signal: AbortSignal, work: (tag: string) => Promise<T>): Promise<T> => {
    const running = run(signal, work);
    active.add(running);
    try {
      return await running;
    } finally {
      active.delete(running);
    }
  };
  return { tracked, idle: () => Promise.all([...active].map(settled)) };
};

const killSql = (id: string): string => `KILL QUERY WHERE startsWith(query, ${quote(`/*${id}*/`)}) ASYNC`;

/** Repeated until the query has ended: the first KILL may come before the engine lists the query. */
const killUntil = async (state: { readonly ended: boolean }, kill: () => Promise<unknown>): Promise<void> => {
  for (let waitMs = 20; !state.ended; waitMs = Math.min(waitMs * 2, 1_000)) {
    try {
      await kill();
    } catch (error) {
      console.error(`A query whose client hung up could not be killed: ${describeError(error).text}`);
    }
    await pause(waitMs);
  }
};
