import type { Fault } from '@almanac/contracts';
import { diskSpaceOf, lowDiskSpaceFault } from '@almanac/runtime';
import { z } from 'zod';

/** Where the data of the servers is, as far as this process can see it. */
export interface StoragePlaces {
  /** Folder of all servers' data, if they run on this machine. */
  readonly home?: string;
  /** Address of a NATS server's HTTP monitoring, `http://host:8222`. */
  readonly natsMonitor?: string;
}

/** Low storage capacity of the servers. */
export const storageFaultsOf = async ({ home, natsMonitor }: StoragePlaces): Promise<Fault[]> => [
  ...(home === undefined ? [] : await homeFaults(home)),
  ...(natsMonitor === undefined ? [] : await jetStreamFaults(natsMonitor)),
];

const homeFaults = async (home: string): Promise<Fault[]> => {
  const fault = lowDiskSpaceFault(await diskSpaceOf(home));
  if (fault === null) return [];
  const remedy = 'Free disk space. NATS, ClickHouse, Redis and the object store write there.';
  return [{ fault: `${fault[0]?.toUpperCase() ?? ''}${fault.slice(1)}.`, remedy }];
};

const timeoutMs = 5_000;
const fullShare = 0.9;

const jsz = z.object({
  storage: z.number(),
  config: z.object({ max_storage: z.number() }),
});

/** The limit of the entire server. The limit of an account is checked over NATS itself. */
const jetStreamFaults = async (url: string): Promise<Fault[]> => {
  const monitorUrl = new URL('/jsz', url);
  try {
    const answer = await fetch(monitorUrl, { signal: AbortSignal.timeout(timeoutMs) });
    const { storage, config } = jsz.parse(await answer.json());
    if (config.max_storage <= 0 || storage < config.max_storage * fullShare) return [];
    const share = Math.floor((100 * storage) / config.max_storage);
    const fault = `JetStream at ${monitorUrl.host} uses ${share} % of the storage of its server.`;
    return [{ fault, remedy: 'Add disk space or raise max_file_store. A full JetStream refuses every change.' }];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const remedy =
      'Set NATS_MONITOR_URL to its HTTP address, usually port 8222. Without the variable, this check is skipped.';
    return [{ fault: `The monitoring of NATS at ${monitorUrl.host} does not answer: ${why}.`, remedy }];
  }
};
