import { diskSpaceOf, lowDiskSpaceFault } from '@almanac/runtime';
import { z } from 'zod';
import type { Fault, SystemState } from './fault.js';

/** Where the servers keep their data, and how much room is left there, as far as this process can see. */
export const storageFaultsOf = async ({ home, natsMonitor }: SystemState): Promise<Fault[]> => [
  ...(home === undefined ? [] : await homeFaults(home)),
  ...(natsMonitor === undefined ? [] : await jetStreamFaults(natsMonitor)),
];

const homeFaults = async (home: string): Promise<Fault[]> => {
  const fault = lowDiskSpaceFault(await diskSpaceOf(home));
  if (fault === null) return [];
  const remedy = 'Free some space: NATS, ClickHouse, Redis and the object store all write there.';
  return [{ fault: `${fault[0]?.toUpperCase() ?? ''}${fault.slice(1)}.`, remedy }];
};

const timeoutMs = 5_000;
const fullShare = 0.9;

const jsz = z.object({
  storage: z.number(),
  config: z.object({ max_storage: z.number() }),
});

/** Of the server as a whole; an account with a limit of its own is asked at NATS itself. */
const jetStreamFaults = async (url: string): Promise<Fault[]> => {
  const monitorUrl = new URL('/jsz', url);
  try {
    const answer = await fetch(monitorUrl, { signal: AbortSignal.timeout(timeoutMs) });
    const { storage, config } = jsz.parse(await answer.json());
    if (config.max_storage <= 0 || storage < config.max_storage * fullShare) return [];
    const share = Math.floor((100 * storage) / config.max_storage);
    const fault = `JetStream of ${monitorUrl.host} has taken ${share} % of the room on its server.`;
    return [{ fault, remedy: 'Give it a larger disk, or a larger max_file_store; a full one refuses every change.' }];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const remedy = 'NATS_MONITOR_URL is its http address, port 8222 as a rule; without it this is not looked at.';
    return [{ fault: `The monitoring of NATS at ${monitorUrl.host} does not answer: ${why}.`, remedy }];
  }
};
