import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { findBinary } from '@almanac/local-servers';
import { differenceFrom, type DocumentedCommand, pasteIntoBash } from './documented-commands.js';
import { repository } from './npm-start.js';

const run = promisify(execFile);
const timeout = 120_000;

/** Pastes commands, checks that each works and answers as shown, and returns the outputs. */
export const paste = async (checkout: string, commands: readonly DocumentedCommand[]): Promise<string[]> => {
  const { ALMANAC_HOME: _home, PORT: _port, ...env } = process.env;
  const results = await pasteIntoBash(commands, { cwd: checkout, env });
  for (const { line, answer, output, code } of results) {
    assert.equal(code, 0, `${line}\n${output}`);
    const difference = answer === null ? null : differenceFrom(answer, output);
    assert.equal(difference, null, `${line}\n${difference}\nThe answer is:\n${output}`);
  }
  assert.equal(results.length, commands.length, `it stopped after ${results.at(-1)?.line}`);
  return results.map(({ output }) => output);
};

/** Runs programs of the documentation, all in one folder. They return their output. */
export interface Programs {
  readonly folder: string;
  python(code: string): Promise<string>;
  typescript(code: string): Promise<string>;
  remove(): Promise<void>;
}

export const programsFor = async (checkout: string): Promise<Programs> => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-programs-'));
  const demo = parseEnv(await readFile(join(checkout, '.almanac', 'demo.env'), 'utf8'));
  const env = { ...process.env, ALMANAC_BASE_URL: demo['API'], ALMANAC_API_KEY: demo['KEY'] };
  // As `npm install <checkout>/clients/typescript` does.
  await mkdir(join(folder, 'node_modules', '@almanac'), { recursive: true });
  await symlink(join(repository, 'clients', 'typescript'), join(folder, 'node_modules', '@almanac', 'client'));
  return {
    folder,
    /** With Debian's pandas and Matplotlib. */
    python: async (code) => {
      const paths = { PYTHONPATH: join(repository, 'clients', 'python', 'src'), PYTHONDONTWRITEBYTECODE: '1' };
      const drawing = { MPLBACKEND: 'Agg', MPLCONFIGDIR: join(folder, 'matplotlib') };
      const options = { cwd: folder, env: { ...env, ...paths, ...drawing }, timeout };
      return (await run(await findBinary('jupyter/python3'), ['-c', code], options)).stdout;
    },
    typescript: async (code) =>
      (await run(process.execPath, ['--input-type=module', '-e', code], { cwd: folder, env, timeout })).stdout,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};
