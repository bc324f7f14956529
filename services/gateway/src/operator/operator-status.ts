import {
  type Bus,
  natsServerFaults,
  processFaults,
  queryProcessStatus,
  type RpcClient,
  statusServices,
  streamFaults,
} from '@almanac/bus';
import {
  type CallContext,
  DomainError,
  type Fault,
  type OperatorStatus,
  type ProcessReport,
  type ProcessStatus,
  type ServiceName,
  serviceNames,
  streamsRpc,
  type StreamsStatus,
} from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import { unixMicros } from '@almanac/runtime';
import { mergedStreams } from './merged-streams.js';

/** Several operators, and pages that are open twice, share one round of requests to the services. */
const sharedMs = 1_000;

export interface StatusSources {
  readonly bus: Bus;
  readonly rpc: RpcClient;
  readonly log: Logger;
}

/** Reads the state of the running system: one request to all processes, and one to each service. */
export const operatorStatusReader = (sources: StatusSources): ((context: CallContext) => Promise<OperatorStatus>) => {
  let shared: Promise<OperatorStatus> | undefined;
  const end = (): void => void (shared = undefined);
  return (context) => {
    if (shared === undefined) {
      shared = readStatus(sources, context);
      shared.then(() => setTimeout(end, sharedMs).unref(), end);
    }
    return shared;
  };
};

/** A service that does not answer is part of the answer. It delays it by 3 s, and does not fail it. */
const readStatus = async (sources: StatusSources, context: CallContext): Promise<OperatorStatus> => {
  const { bus } = sources;
  const queriedUs = unixMicros();
  const { processes, known, streams } = await readReports(sources, { context, withMetrics: false });
  const server = bus.nc.info ?? { version: 'unknown' };
  const services = statusServices.map((service) => ({
    service,
    processes: processes.filter((one) => one.service === service).length,
    // The gateway has no streams.
    streams_known: service === 'gateway' || known.some((report) => report.service === service),
  }));
  return {
    ts: queriedUs / 1e6,
    nats_version: server.version,
    services,
    processes: processes.map(reportOf),
    ...streams,
    faults: [
      ...processFaults({ processes, queriedUs }),
      ...natsServerFaults(server),
      ...services.flatMap(unknownStreams),
      ...streamFaults(streams),
    ],
  };
};

/** What all processes and all services report. */
export const readReports = async (
  { bus, rpc, log }: StatusSources,
  { context, withMetrics }: { readonly context: CallContext; readonly withMetrics: boolean },
) => {
  const [processes, reports] = await Promise.all([
    queryProcessStatus(bus, { untilTimeout: false, withMetrics }),
    Promise.all(
      serviceNames.map(async (service) => ({ service, streams: await streamsOf(service, { rpc, log, context }) })),
    ),
  ]);
  const known = reports.filter((report): report is ServiceStreams => report.streams !== undefined);
  return { processes, known, streams: mergedStreams(known.map((report) => report.streams)) };
};

interface ServiceStreams {
  readonly service: ServiceName;
  readonly streams: StreamsStatus;
}

interface Call extends Pick<StatusSources, 'rpc' | 'log'> {
  readonly context: CallContext;
}

/** Undefined if the service does not answer, or cannot read its streams. */
const streamsOf = async (service: ServiceName, { rpc, log, context }: Call): Promise<StreamsStatus | undefined> => {
  try {
    return await rpc.call(streamsRpc[service], { input: {}, context });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // The page repeats the request every few seconds, and shows the outage itself.
    const level = error.code === 'unavailable' ? 'debug' : 'warn';
    log[level]({ err: error, service, request_id: context.requestId }, 'a service did not report its streams');
    return undefined;
  }
};

const reportOf = (status: ProcessStatus): ProcessReport => ({
  service: status.service,
  instance: status.instance,
  version: status.version,
  started_ts: status.started_us / 1e6,
  ready: status.ready,
  faults: Object.entries({ ...status.checks, ...status.degraded })
    .filter(([, outcome]) => outcome !== 'ok')
    .map(([check, outcome]) => ({ check, outcome })),
  memory_bytes: status.memory_bytes,
  newer_events: status.newer_events.length,
});

/** A silent service has its own fault. */
const unknownStreams = ({ service, processes, streams_known }: OperatorStatus['services'][number]): Fault[] =>
  streams_known || processes === 0
    ? []
    : [
        {
          fault: `${service} does not report its streams.`,
          remedy:
            'JetStream does not answer it, or it runs an earlier release. npm run almanac -- doctor asks NATS itself.',
        },
      ];
