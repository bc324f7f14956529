import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { ChdbResult } from 'chdb';
import type { Touched } from './access.js';
import { killable } from './killing.js';
import { makeLanes, type LaneKind, type Surroundings } from './lanes.js';
import { insertRows, streamOut, type RowsInsert, type StreamedQuery } from './piped.js';
import { makePipes } from './pipes.js';
import { laneCounts } from './threads.js';

/** A statement on its way: `signal` aborts when its client hangs up, which kills it in the engine. */
export interface Run extends Surroundings {
  readonly signal: AbortSignal;
}

export type Engine = Awaited<ReturnType<typeof openEngine>>;

/** Opens the data folder with all its lanes; `onError` hears the number of every error of the engine. */
export const openEngine = async (folder: string, onError: (code: number) => void) => {
  const path = join(folder, 'data');
  const pipes = join(folder, 'pipes');
  const paths = Object.entries(laneCounts).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, index) => join(pipes, `${kind}-${index}`)),
  );
  const free = [...paths];
  const pools = {
    read: makeLanes(path, free.splice(0, laneCounts.read)),
    stream: makeLanes(path, free.splice(0, laneCounts.stream)),
    write: makeLanes(path, free.splice(0, laneCounts.write)),
    control: makeLanes(path, free.splice(0, laneCounts.control)),
  };
  // The sessions are open, so no other process uses this folder and its pipes.
  await makePipes(pipes, paths);
  const plain: Run = { database: 'default', settings: new Map(), signal: new AbortController().signal };
  const control = (sql: string, run: Surroundings = plain): Promise<ChdbResult> =>
    pools.control.use({ ...plain, database: run.database }, plain.signal, (lane) =>
      lane.session.queryAsync(sql, { format: 'TSVRaw' }),
    );

  const { tracked, idle } = killable({ control, onError });
  const whole = (kind: LaneKind, run: Run, statement: { sql: string; format: string }): Promise<ChdbResult> =>
    pools[kind].use(run, run.signal, (lane) =>
      tracked(run.signal, (tag) => lane.session.queryAsync(tag + statement.sql, { format: statement.format })),
    );
  return {
    /** A short answer, whole. */
    read: (run: Run, sql: string, format: string) => whole('read', run, { sql, format }),
    /** A statement that changes something; answers what it prints. */
    execute: (run: Run, sql: string, format: string) => whole('write', run, { sql, format }),
    stream: (run: Run, query: StreamedQuery, sink: () => Writable) =>
      pools.stream.use(run, run.signal, (lane) =>
        tracked(run.signal, (tag) => streamOut(lane, { tag, query, signal: run.signal }, sink)),
      ),
    insert: (run: Run, insert: RowsInsert) =>
      pools.write.use(run, run.signal, (lane) => tracked(run.signal, (tag) => insertRows(lane, tag, insert))),
    touched: async (run: Surroundings, select: string) =>
      touchedBy((await control(`EXPLAIN QUERY TREE ${select}`, run)).text()),
    settingNames: async (): Promise<ReadonlySet<string>> =>
      new Set((await control('SELECT name FROM system.settings')).text().trim().split('\n')),
    /** Waits for what runs; ask for no more, and abort what may be long. */
    close: async () => {
      await idle();
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
