import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bus } from '@almanac/bus';
import type { ServerStarters } from '@almanac/local';
import { connectStores, type Stores } from './backup/stores.js';
import { UsageError } from './commands/command.js';
import { takeHome } from './home.js';
import { dataFolders, type Infrastructure, startServers, storesEnvironment } from './infrastructure.js';
import { connectOperator } from './operator.js';
import { loadSecrets, type Secrets } from './secrets.js';

interface Target {
  readonly bus: Bus;
  readonly stores: Stores;
  readonly say: (line: string) => void;
}

/**
 * Starts the servers of a home that holds no data yet, lets the work fill them, and stops them; then `npm start` runs on
 * it. Work that fails leaves the home without data, as it was.
 */
export const restoreHome = async (
  home: string,
  { say, servers }: { say: (line: string) => void; servers?: ServerStarters },
  work: (target: Target) => Promise<void>,
): Promise<void> => {
  const taken = dataFolders.find((folder) => existsSync(join(home, folder)));
  if (taken !== undefined) {
    throw new UsageError(`${join(home, taken)} holds the data of a system. Set ALMANAC_HOME to a folder that is new.`);
  }
  await mkdir(home, { recursive: true, mode: 0o700 });
  const claim = await takeHome(home);
  try {
    const secrets = await loadSecrets(home);
    const infrastructure = await startServers(home, secrets, servers);
    try {
      await withTarget({ infrastructure, secrets, say }, work);
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

const withTarget = async (
  { infrastructure, secrets, say }: { infrastructure: Infrastructure; secrets: Secrets; say: (line: string) => void },
  work: (target: Target) => Promise<void>,
): Promise<void> => {
  const bus = await connectOperator({ url: infrastructure.natsUrl, password: secrets.nats.operator });
  const stores = connectStores(storesEnvironment(infrastructure, secrets));
  try {
    await work({ bus, stores, say });
  } finally {
    await stores.close();
    await bus.close();
  }
};
