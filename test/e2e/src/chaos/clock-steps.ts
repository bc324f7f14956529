import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The folder with a file for each process whose clock is wrong. */
export const clockFolderVariable = 'ALMANAC_TEST_CLOCKS';

export interface ServiceClocks {
  /** Variables for a service. The clocks of servers are those of the machine. */
  readonly environment: NodeJS.ProcessEnv;
  /** Steps the clock of a process, and steps it back after this long. */
  step(pid: number, byMs: number, forMs: number): Promise<void>;
  remove(): Promise<void>;
}

/** Clocks of services that a test can step, without that of the machine. */
export const serviceClocks = async (): Promise<ServiceClocks> => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-test-clocks-'));
  const preload = new URL('preload-clock.js', import.meta.url).href;
  return {
    environment: { NODE_OPTIONS: `--import=${preload}`, [clockFolderVariable]: folder },
    step: async (pid, byMs, forMs) => {
      const file = join(folder, String(pid));
      await writeFile(`${file}.new`, String(byMs));
      await rename(`${file}.new`, file);
      try {
        await delay(forMs);
      } finally {
        await rm(file);
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};
