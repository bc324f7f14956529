import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from './home.js';
import { performancePage } from './performance-page.js';
import { performancePicture } from './performance-picture.js';
import type { Result } from './results.js';

/** A whole run: what was measured, of which commit, and on which machine. */
export interface RunResults {
  /** In UTC. */
  readonly day: string;
  readonly commit: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly memoryGb: number; readonly node: string };
  /** What a reader must know about this run. */
  readonly remark?: string;
  readonly rows: readonly Result[];
}

const run = promisify(execFile);

/** The commit that was measured, with a mark if files differ from it. */
const commitOf = async (): Promise<string> => {
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', args, { cwd: repository, timeout: 10_000 })).stdout.trim();
  const changed = await git('status', '--porcelain', '--untracked-files=no');
  return `${await git('rev-parse', '--short', 'HEAD')}${changed === '' ? '' : ' with changes'}`;
};

export const runResults = async (rows: readonly Result[]): Promise<RunResults> => {
  const { length: cores, 0: first } = cpus();
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return {
    day: new Date().toISOString().slice(0, 10),
    commit: await commitOf(),
    machine: { cpu: first?.model.trim() ?? 'unknown', cores, memoryGb, node: process.version },
    rows,
  };
};

/** The figures of a whole run, the page for readers, and its picture, by their paths. */
export const resultFiles = (results: RunResults): ReadonlyMap<string, string> =>
  new Map([
    ['test/bench/results.json', `${JSON.stringify(results, null, 2)}\n`],
    ['docs/performance.md', performancePage(results)],
    ['docs/images/performance.svg', performancePicture(results)],
  ]);

export const writeResults = async (results: RunResults): Promise<void> => {
  for (const [path, content] of resultFiles(results)) await writeFile(join(repository, path), content);
};
