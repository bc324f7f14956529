import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installs packages of PyPI into an environment in a folder, and returns its interpreter. */
export const pythonWith = async (folder: string, packages: readonly string[]): Promise<string> => {
  const python = join(folder, 'environment', 'bin', 'python3');
  await run('python3', ['-m', 'venv', join(folder, 'environment')]);
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
  await run(python, install).catch(refuse('pip', packages));
  return python;
};

/** Installs packages of npm into a folder, and returns the folder of their programs. */
export const npmWith = async (folder: string, packages: readonly string[]): Promise<string> => {
  const install = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', ...packages];
  await run('npm', install, { cwd: folder }).catch(refuse('npm', packages));
  return join(folder, 'node_modules', '.bin');
};

const refuse =
  (installer: string, packages: readonly string[]) =>
  (cause: unknown): never => {
    const remedy = 'Run this test where its registry can be reached, or configure a mirror for it.';
    throw new Error(`${installer} could not install ${packages.join(' ')}. ${remedy}`, { cause });
  };
