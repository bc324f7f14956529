import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHarness, type SystemHarness } from '@almanac/test-e2e';
import { DuckDBInstance } from '@duckdb/node-api';
import { expectedTables, type Span, type Target } from './expected-tables.js';
import type { ExportFileHarness, TargetKind } from './matrix.js';

export interface RunningHarness extends ExportFileHarness {
  stop(): Promise<void>;
}

/** A system with an archive, and all readers of its files. */
export const startExportHarness = async (archive: {
  readonly store: (running: SystemHarness) => Promise<void>;
  readonly targets: Readonly<Record<TargetKind, Target>>;
  readonly span: Span;
}): Promise<RunningHarness> => {
  const running = await startHarness();
  try {
    await archive.store(running);
    return await startHarnessOn(running, archive);
  } catch (error) {
    await running.stop();
    throw error;
  }
};

const startHarnessOn = async (
  running: SystemHarness,
  { targets, span }: Pick<RunningHarness, 'targets'> & { readonly span: Span },
): Promise<RunningHarness> => {
  const api = await running.client('internal');
  const folder = await mkdtemp(join(tmpdir(), 'almanac-exports-'));
  const instance = await DuckDBInstance.create(':memory:');
  const duckdb = await instance.connect();
  return {
    api,
    expected: expectedTables(api, span),
    targets,
    duckdb,
    folder,
    stop: async () => {
      duckdb.closeSync();
      instance.closeSync();
      await rm(folder, { recursive: true, force: true });
      await running.stop();
    },
  };
};
