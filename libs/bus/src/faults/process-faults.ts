import { type Fault, type ProcessStatus, userNames } from '@almanac/contracts';
import { servesStatus } from '../rights/rights.js';
import { isAtLeast, type ServerInfo } from '../connection/server-version.js';

export interface SeenProcesses {
  readonly processes: readonly ProcessStatus[];
  /** When the processes were queried, by the clock of who asked, in integer microseconds. */
  readonly queriedUs: number;
  /** How many processes of a service there should be, at least. Default 1. */
  readonly expected?: Readonly<Record<string, number>>;
}

/** Users of NATS that are the gateway or a service. Each should have a process. */
export const statusServices: readonly string[] = userNames.filter(servesStatus);

/** Ordered by how soon users notice the fault. */
export const processFaults = (seen: SeenProcesses): Fault[] => [
  ...missingServices(seen),
  ...failingProcesses(seen),
  ...clocks(seen),
  ...versions(seen),
];

/** Services of which processes are missing. */
export const missingProcesses = ({
  processes,
  expected = {},
}: SeenProcesses): { service: string; answering: number; wanted: number }[] =>
  statusServices
    .map((service) => ({
      service,
      answering: processes.filter((one) => one.service === service).length,
      wanted: expected[service] ?? 1,
    }))
    .filter(({ answering, wanted }) => answering < wanted);

const missingServices = (seen: SeenProcesses): Fault[] =>
  missingProcesses(seen).map(({ service, answering, wanted }) => ({
    fault:
      answering === 0
        ? `No process of ${service} answers.`
        : `Only ${answering} of ${wanted} processes of ${service} answer.`,
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
  nats_storage: 'Add storage to JetStream. Do not delete anything in it.',
  open_accounts: 'The process reads all accounts after its start. Wait. Payments and grants work meanwhile.',
  redis: 'Start Redis. Nothing in it must be restored.',
};

const failingProcesses = ({ processes }: SeenProcesses): Fault[] =>
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

const clocks = ({ processes, queriedUs }: SeenProcesses): Fault[] =>
  processes
    .filter(({ now_us }) => Math.abs(now_us - queriedUs) > clockOffUs)
    .map(({ service, instance, now_us }) => ({
      fault: `The clock of ${service} (${instance}) is ${Math.round((now_us - queriedUs) / 1e6)} s off the clock of the machine that asked.`,
      remedy: 'Synchronize both hosts with NTP. Sessions, links and the status of markets depend on the time.',
    }));

const versions = ({ processes }: SeenProcesses): Fault[] => {
  const seen = [...new Set(processes.map(({ version }) => version))].toSorted();
  if (seen.length < 2) return [];
  return [
    {
      fault: `Processes of several versions run: ${seen.join(', ')}.`,
      remedy: 'This is normal during a rollout. Otherwise restart the processes of the older version.',
    },
  ];
};

/** A cluster of an old release loses the order of writes. */
export const natsServerFaults = ({ version, cluster }: ServerInfo): Fault[] => {
  if (cluster === undefined || isAtLeast(version, 12)) return [];
  return [
    {
      fault: `nats-server ${version} in a cluster may accept two publishes with the same expected sequence.`,
      remedy: 'Upgrade every server of the cluster to 2.12 or later.',
    },
  ];
};
