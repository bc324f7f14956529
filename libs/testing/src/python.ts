import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installs packages of PyPI into an environment in a folder, and returns its interpreter. */
export const pythonWith = async (folder: string, packages: readonly string[]): Promise<string> => {
  const python = join(folder, 'environment', 'bin', 'python3');
  await run('python3', ['-m', 'venv', join(folder, 'environment')]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  return python;
};
