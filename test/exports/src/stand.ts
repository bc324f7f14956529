import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRunning, type RunningSystem } from '@almanac/test-e2e';
import { DuckDBInstance } from '@duckdb/node-api';
import { apiTruth, type Span, type Target } from './api-truth.js';
import type { Stand, TargetKind } from './matrix.js';

export interface OpenStand extends Stand {
  stop(): Promise<void>;
}

/** A system with an archive in it, and everything that reads its files. */
export const openStand = async (archive: {
  readonly store: (running: RunningSystem) => Promise<void>;
  readonly targets: Readonly<Record<TargetKind, Target>>;
  readonly span: Span;
}): Promise<OpenStand> => {
  const running = await startRunning();
  try {
    await archive.store(running);
    return await standOn(running, archive);
  } catch (error) {
    await running.stop();
    throw error;
  }
};

const standOn = async (
  running: RunningSystem,
  { targets, span }: Pick<OpenStand, 'targets'> & { readonly span: Span },
): Promise<OpenStand> => {
  const api = await running.client('internal');
  const folder = await mkdtemp(join(tmpdir(), 'almanac-exports-'));
  const instance = await DuckDBInstance.create(':memory:');
  const duckdb = await instance.connect();
  return {
    api,
    truth: apiTruth(api, span),
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
