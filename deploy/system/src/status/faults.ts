import {
  type AdminBus,
  expectedTopology,
  probeJetStream,
  serverConsumers,
  serverStreams,
  servesStatus,
  userNames,
} from '@almanac/bus/client';
import type { Fault, SystemState } from './fault.js';
import { storageFaultsOf } from './storage-faults.js';
import { streamFaults } from './stream-faults.js';

/** Ordered by how soon users notice the fault. */
export const findFaults = async (bus: AdminBus, seen: SystemState): Promise<Fault[]> => [
  ...(await storageFaultsOf(seen)),
  ...missingServices(seen),
  ...failingProcesses(seen),
  ...clocks(seen),
  ...versions(seen),
  ...weakCluster(seen),
  ...(await jetStreamFaults(bus)),
];

const jetStreamFaults = async (bus: AdminBus): Promise<Fault[]> => {
  const streams = serverStreams(bus, expectedTopology.streams);
  const answer = await probeJetStream(bus, streams);
  const consumers = serverConsumers(bus, expectedTopology.consumers);
  if (answer === 'answers') return streamFaults(bus, { streams, consumers });
  return [
    {
      fault: answer === 'off' ? 'JetStream of nats-server has ended.' : 'JetStream of nats-server does not answer.',
      remedy:
        'Free disk space if its disk is full. npm start then restarts nats-server. Elsewhere, restart it yourself.',
    },
  ];
};

const missingServices = ({ processes }: SystemState): Fault[] =>
  userNames
    .filter((user) => servesStatus(user) && !processes.some(({ service }) => service === user))
    .map((service) => ({
      fault: `No process of ${service} answers.`,
      remedy: 'Start it, or read its log. A process that cannot start logs the reason in one line.',
    }));

const remedies: Readonly<Record<string, string>> = {
  process: 'The process is starting or stopping. Check again in a few seconds.',
  nats: 'Check nats-server and the network. docs/runbooks/failures.md explains each message.',
  nats_version: 'Upgrade every server of the cluster to 2.12 before you raise NATS_REPLICAS.',
  clock: 'Synchronize the hosts with NTP. Sessions, signed links and the status of markets depend on the time.',
  clickhouse:
    'Start ClickHouse, correct CLICKHOUSE_URL and the password, or run the migrations (npm start or the Job migrate). Exports wait meanwhile.',
  object_store: 'Start the object store, or create the missing bucket with bucket-main.js of export.',
  disk: 'Add disk space or delete files that you do not need. The catalogue stores its copy of all markets there.',
  clickhouse_schema: 'This is normal during a rollout. Otherwise start the release of the schema.',
  clickhouse_disk: 'Add disk space to ClickHouse now. With a full disk it refuses imports and merges.',
  clickhouse_parts: 'npm start restarts ClickHouse. Elsewhere see docs/runbooks/broken-parts.md.',
  nats_room: 'Add storage to JetStream. Do not delete anything in it.',
  open_accounts: 'The process reads all accounts after its start. Wait. Payments and grants work meanwhile.',
  redis: 'Start Redis. Nothing in it must be restored.',
};

const failingProcesses = ({ processes }: SystemState): Fault[] =>
  processes.flatMap(({ service, instance, checks, degraded }) =>
    Object.entries({ ...checks, ...degraded })
      .filter(([, outcome]) => outcome !== 'ok')
      .map(([check, outcome]) => ({
        fault: `${service} (${instance}): ${check}: ${outcome}.`,
        remedy: remedies[check] ?? 'Read the log of the process.',
      })),
  );

/** Answers arrive within 3 s, so with a larger difference one of the two clocks is wrong. */
const clockOffUs = 5e6;

const clocks = ({ processes, queriedUs }: SystemState): Fault[] =>
  processes
    .filter(({ now_us }) => Math.abs(now_us - queriedUs) > clockOffUs)
    .map(({ service, instance, now_us }) => ({
      fault: `The clock of ${service} (${instance}) is ${Math.round((now_us - queriedUs) / 1e6)} s off the clock of this machine.`,
      remedy: 'Synchronize both hosts with NTP. Sessions, links and the status of markets depend on the time.',
    }));

const versions = ({ processes }: SystemState): Fault[] => {
  const seen = [...new Set(processes.map(({ version }) => version))].toSorted();
  if (seen.length < 2) return [];
  return [
    {
      fault: `Processes of several versions run: ${seen.join(', ')}.`,
      remedy: 'This is normal during a rollout. Otherwise restart the processes of the older version.',
    },
  ];
};

const weakCluster = ({ server: { version, cluster } }: SystemState): Fault[] => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (cluster === undefined || major > 2 || (major === 2 && minor >= 12)) return [];
  return [
    {
      fault: `nats-server ${version} in a cluster may accept two publishes with the same expected sequence.`,
      remedy: 'Upgrade every server of the cluster to 2.12 or later.',
    },
  ];
};
