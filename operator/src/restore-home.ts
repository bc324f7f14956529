import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerStarters } from '@almanac/local-servers';
import { type Target, withTarget } from './backup/target.js';
import { UsageError } from './error-message.js';
import { claimHome } from './home-lock.js';
import { dataFolders, startServers, storesEnvironment } from './infrastructure.js';
import { partitionsIn } from './partitions.js';
import { loadSecrets } from './secrets.js';

/** Starts the servers of a home without data and stops them after the work. Failed work leaves no data. */
export const restoreHome = async (
  home: string,
  { print, servers }: { print: (line: string) => void; servers?: ServerStarters },
  work: (target: Target) => Promise<void>,
): Promise<void> => {
  const taken = dataFolders.find((folder) => existsSync(join(home, folder)));
  if (taken !== undefined) {
    throw new UsageError(`${join(home, taken)} holds the data of a system. Set ALMANAC_HOME to a new folder.`);
  }
  await mkdir(home, { recursive: true, mode: 0o700 });
  const claim = await claimHome(home);
  try {
    const secrets = await loadSecrets(home);
    const infrastructure = await startServers(home, secrets, { print, servers });
    try {
      const connection = {
        url: infrastructure.natsUrl,
        password: secrets.nats.operator,
        ...partitionsIn(process.env),
      };
      await withTarget({ connection, environment: storesEnvironment(infrastructure, secrets), print }, work);
    } finally {
      await infrastructure.stop();
    }
  } catch (error) {
    for (const folder of dataFolders) await rm(join(home, folder), { recursive: true, force: true });
    throw error;
  } finally {
    await claim.release();
  }
};
