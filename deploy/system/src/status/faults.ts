import { type Bus, expectedTopology, servesStatus, userNames } from '@almanac/bus/client';
import type { Fault, SystemState } from './fault.js';
import { storageFaultsOf } from './storage-faults.js';
import { streamFaults } from './stream-faults.js';

/** Those that users feel first come first. */
export const findFaults = async (bus: Bus, seen: SystemState): Promise<Fault[]> => [
  ...missingServices(seen),
  ...failingProcesses(seen),
  ...clocks(seen),
  ...versions(seen),
  ...weakCluster(seen),
  ...(await storageFaultsOf(seen)),
  ...(await streamFaults(bus, expectedTopology)),
];

const missingServices = ({ processes }: SystemState): Fault[] =>
  userNames
    .filter((user) => servesStatus(user) && !processes.some(({ service }) => service === user))
    .map((service) => ({
      fault: `No process of ${service} answers.`,
      remedy: `Start it, or look at its log: a process that cannot start says why in one line.`,
    }));

const remedies: Readonly<Record<string, string>> = {
  process: 'It starts or stops just now; ask again in some seconds.',
  nats: 'Look at nats-server and the network to it; docs/runbooks/failures.md has what each sentence means.',
  nats_version: 'Bring every server of the cluster to 2.12 before NATS_REPLICAS is raised.',
  clock: 'Keep the hosts by NTP: sessions, signed links and what is live depend on the time.',
  clickhouse:
    'Bring ClickHouse back, put CLICKHOUSE_URL and its password right, or run the migrations (npm start does; else the job migrate); exports wait meanwhile.',
  object_store: 'Bring the object store back, or make the bucket anew (bucket-main.js of export makes a missing one).',
  disk: 'Give it more room, or remove what is not needed; the catalogue keeps its copy of all markets there.',
  clickhouse_schema: 'During a rollout that is as it should be; else start the release that the schema is of.',
  clickhouse_disk: 'Give ClickHouse a larger disk now: one that is full refuses every import, and its merges.',
  nats_room: 'Give JetStream more room; nothing in it may be deleted.',
  redis: 'Bring Redis back; nothing in it needs to be restored.',
};

const failingProcesses = ({ processes }: SystemState): Fault[] =>
  processes.flatMap(({ service, instance, checks, degraded }) =>
    Object.entries({ ...checks, ...degraded })
      .filter(([, outcome]) => outcome !== 'ok')
      .map(([check, outcome]) => ({
        fault: `${service} (${instance}): ${check}: ${outcome}.`,
        remedy: remedies[check] ?? 'Its log says more.',
      })),
  );

/** Answers arrive within 3 s, so with a larger difference one of the two clocks is wrong. */
const clockOffUs = 5e6;

const clocks = ({ processes, queriedUs }: SystemState): Fault[] =>
  processes
    .filter(({ now_us }) => Math.abs(now_us - queriedUs) > clockOffUs)
    .map(({ service, instance, now_us }) => ({
      fault: `The clock of ${service} (${instance}) is ${Math.round((now_us - queriedUs) / 1e6)} s off this one.`,
      remedy: 'Keep both hosts by NTP: sessions, links and what is live depend on the time.',
    }));

const versions = ({ processes }: SystemState): Fault[] => {
  const seen = [...new Set(processes.map(({ version }) => version))].toSorted();
  if (seen.length < 2) return [];
  return [
    {
      fault: `Processes of several versions run: ${seen.join(', ')}.`,
      remedy: 'During a rollout that is as it should be; else start those of the older one anew.',
    },
  ];
};

const weakCluster = ({ server: { version, cluster } }: SystemState): Fault[] => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (cluster === undefined || major > 2 || (major === 2 && minor >= 12)) return [];
  return [
    {
      fault: `nats-server ${version} in a cluster may accept two publishes where one was expected.`,
      remedy: 'Bring every server of the cluster to 2.12 or later.',
    },
  ];
};
