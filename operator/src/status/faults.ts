import {
  type AdminBus,
  expectedTopology,
  natsServerFaults,
  probeJetStream,
  processFaults,
  readStreamsStatus,
  serverStreams,
  streamFaults,
} from '@almanac/bus';
import type { Fault, ProcessStatus } from '@almanac/contracts';
import { storageFaultsOf, type StoragePlaces } from './storage-faults.js';

export interface SystemState extends StoragePlaces {
  readonly processes: readonly ProcessStatus[];
  /** When the processes were queried, by this machine's clock, in integer microseconds. */
  readonly queriedUs: number;
  readonly server: { readonly version: string; readonly cluster?: string };
  readonly expected?: Readonly<Record<string, number>>;
}

/** Ordered by how soon users notice the fault. */
export const findFaults = async (bus: AdminBus, seen: SystemState): Promise<Fault[]> => [
  ...(await storageFaultsOf(seen)),
  ...processFaults(seen),
  ...natsServerFaults(seen.server),
  ...(await jetStreamFaults(bus)),
];

const jetStreamFaults = async (bus: AdminBus): Promise<Fault[]> => {
  const answer = await probeJetStream(bus, serverStreams(bus, expectedTopology.streams));
  if (answer === 'answers') return streamFaults(await readStreamsStatus(bus, expectedTopology));
  return [
    {
      fault: answer === 'off' ? 'JetStream of nats-server has ended.' : 'JetStream of nats-server does not answer.',
      remedy:
        'Free disk space if its disk is full. npm start then restarts nats-server. Elsewhere, restart it yourself.',
    },
  ];
};
