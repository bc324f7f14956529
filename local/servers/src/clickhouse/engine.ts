import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { ChdbResult } from 'chdb';
import type { Touched } from './access.js';
import type { EngineFailure } from './errors.js';
import { abortable } from './kill-query.js';
import { watchFailedWrites } from './failed-writes.js';
import { createSessionPool, type SessionKind, type SessionSettings } from './session-pool.js';
import { insertRows, streamOut, type RowsInsert, type StreamedQuery } from './piped-queries.js';
import { makePipes } from './pipes.js';
import { sessionCounts } from './pool-sizes.js';

/** A running statement. `signal` aborts when its client hangs up, which kills it in the engine. */
export interface Run extends SessionSettings {
  readonly signal: AbortSignal;
}

export type Engine = Awaited<ReturnType<typeof openEngine>>;

export interface EngineOptions {
  /** Arguments of ClickHouse, such as `--config-file=…`. */
  readonly engineArguments: readonly string[];
  /** Gets every engine error. */
  readonly onError: (error: EngineFailure) => void;
}

/** Opens the data folder and all sessions. */
export const openEngine = async (folder: string, { engineArguments, onError }: EngineOptions) => {
  const files = { path: join(folder, 'data'), engineArguments };
  const pipes = join(folder, 'pipes');
  const paths = Object.entries(sessionCounts).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, index) => join(pipes, `${kind}-${index}`)),
  );
  const free = [...paths];
  const pools = {
    read: createSessionPool(files, free.splice(0, sessionCounts.read)),
    stream: createSessionPool(files, free.splice(0, sessionCounts.stream)),
    write: createSessionPool(files, free.splice(0, sessionCounts.write)),
    control: createSessionPool(files, free.splice(0, sessionCounts.control)),
  };
  // The sessions are open, so no other process uses this folder and its pipes.
  await makePipes(pipes, paths);
  const plain: Run = { database: 'default', settings: new Map(), signal: new AbortController().signal };
  const control = (sql: string, run: SessionSettings = plain): Promise<ChdbResult> =>
    pools.control.use({ ...plain, database: run.database }, plain.signal, (session) =>
      session.session.queryAsync(sql, { format: 'TSVRaw' }),
    );

  const failedWrites = watchFailedWrites(control);
  const checked = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work;
    await failedWrites.check();
    return done;
  };
  const { tracked, idle } = abortable({ control, onError });
  const buffered = (kind: SessionKind, run: Run, statement: { sql: string; format: string }): Promise<ChdbResult> =>
    pools[kind].use(run, run.signal, (session) =>
      tracked(run.signal, (tag) => session.session.queryAsync(tag + statement.sql, { format: statement.format })),
    );
  return {
    read: (run: Run, sql: string, format: string) => buffered('read', run, { sql, format }),
    /** A statement that changes something. Returns what it prints. */
    execute: (run: Run, sql: string, format: string) => checked(buffered('write', run, { sql, format })),
    stream: (run: Run, query: StreamedQuery, sink: () => Writable) =>
      pools.stream.use(run, run.signal, (session) =>
        tracked(run.signal, (tag) => streamOut(session, { tag, query, signal: run.signal }, sink)),
      ),
    insert: (run: Run, insert: RowsInsert) =>
      checked(
        pools.write.use(run, run.signal, (session) => tracked(run.signal, (tag) => insertRows(session, tag, insert))),
      ),
    touched: async (run: SessionSettings, select: string) =>
      touchedBy((await control(`EXPLAIN QUERY TREE ${select}`, run)).text()),
    settingNames: async (): Promise<ReadonlySet<string>> =>
      new Set((await control('SELECT name FROM system.settings')).text().trim().split('\n')),
    /** Waits for running statements. Before it, start no new ones and abort long ones. */
    close: async () => {
      await idle();
      await failedWrites.stop();
      for (const pool of Object.values(pools)) pool.close();
    },
  };
};

const touchedBy = (tree: string): Touched => {
  const names = (pattern: RegExp): string[] => [...tree.matchAll(pattern)].map((found) => found[1] ?? '');
  return {
    tables: names(/\btable_name: ([^\s,]+)/g),
    tableFunctions: names(/\btable_function_name: ([^\s,]+)/g),
    functions: names(/(?<!table_)\bfunction_name: ([^\s,]+)/g),
  };
};
