import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../../../', import.meta.url));

export const temporaryHome = (): Promise<string> => mkdtemp(join(tmpdir(), 'almanac-bench-'));

/** A home folder under ALMANAC_HOME, named after this process. Removes folders of killed runs. */
export const homeInCheckout = async (): Promise<string> => {
  const folder = join(process.env['ALMANAC_HOME'] ?? join(repository, '.almanac'), 'bench');
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const [, owner] = /^smoke-(\d+)-/.exec(name) ?? [];
    if (owner !== undefined && !isRunning(owner)) await rm(join(folder, name), { recursive: true, force: true });
  }
  return mkdtemp(join(folder, `smoke-${process.pid}-`));
};

export const isRunning = (pid: string): boolean => existsSync(`/proc/${pid}`);
