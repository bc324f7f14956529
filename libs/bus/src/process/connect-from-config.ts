import { setTimeout as delay } from 'node:timers/promises';
import { type Runtime, watchCertificates, withJitter, withTimeout } from '@almanac/runtime';
import { errors } from '@nats-io/transport-node';
import { type AdminBus, type Bus, type BusOptions, connectBus, type Running } from '../bus.js';
import { clockSkewCheck } from '../connection/clock-skew.js';
import { serveDiscards } from './discard-newer.js';
import { jetStreamCheck } from './jetstream-health.js';
import { natsCertificates } from '../connection/nats-certificates.js';
import { leaveCutOffServer } from '../connection/leave-cut-off-server.js';
import { leaveLameDuck } from '../connection/leave-lame-duck.js';
import { leaveSilentServer } from '../connection/leave-silent-server.js';
import { serverStreams } from '../partitions.js';
import { followedBy, servesStatus } from '../rights/rights.js';
import { serveProcessStatus } from './process-status.js';
import { serveBackups } from './requested-backup.js';
import { storageFault } from '../streams/storage-capacity.js';
import { storeDiskCheck } from './store-disk.js';
import { reportTlsFaults } from '../connection/report-tls-faults.js';
import { checkServerVersion } from '../connection/server-version.js';
import { tlsIn, type TlsVariables } from '../connection/tls.js';

/** The `NATS_…` part of `processVariables`. */
export interface BusConfig extends TlsVariables {
  readonly NATS_URL: string;
  readonly NATS_USER: string;
  readonly NATS_PASSWORD?: string | undefined;
  readonly NATS_REPLICAS: number;
  readonly NATS_PARTITIONS?: number | undefined;
  readonly NATS_STORE_FOLDER?: string | undefined;
  readonly NATS_STORAGE_GB?: number | undefined;
}

/** Sentences why this process is not connected to NATS. Null while a connection works. */
interface ConnectionState {
  nc: string | null;
  streams: string | null;
}

const connectionNames = ['nc', 'streams'] as const;

/** How long a stopping process waits for requests of the operator. They need the server. */
const servingMs = 3_000;

/**
 * Connects a process to NATS as configured. It waits as long as the server is unavailable, rejects the login or is
 * too old. The connection is part of the health checks, connection changes and denied subjects are logged, and it
 * closes after everything that was registered later.
 */
export const connectFromConfig = async (
  config: BusConfig,
  { health, onStop, log }: Pick<Runtime, 'health' | 'onStop' | 'log'>,
): Promise<Bus> => {
  const connectionState: ConnectionState = { nc: 'not connected yet', streams: null };
  const stopping = new AbortController();
  let bus: Bus | undefined;
  const serving: Running[] = [];
  onStop('bus', async () => {
    stopping.abort();
    await withTimeout(servingMs, Promise.all(serving.map((one) => one.stop())), () => undefined);
    await bus?.close();
  });
  let jetStream: () => string | null = () => null;
  health.checks.set('nats', async () =>
    bus === undefined ? connectionState.nc : ((await stateOf(bus, connectionState)) ?? jetStream()),
  );
  const options = { ...busOptions(config), replicas: config.NATS_REPLICAS, connectTimeoutMs: 5_000 };
  const connected = await connectWithRetry(options, { connectionState, log, signal: stopping.signal });
  const subscriptions = { log, faults: new Map<string, string>() };
  bus = { ...connected, pendingWaits: new Map<string, string>(), subscriptions };
  const stream = followedBy(bus.user);
  if (stream !== undefined) jetStream = jetStreamCheck(bus, serverStreams(bus, [stream]));
  const { NATS_STORE_FOLDER: folder } = config;
  if (folder !== undefined) bus.storageCapacity.diskFault = storeDiskCheck(folder);
  watchServer(bus, health, log);
  watchCertificates('nats', natsCertificates(config.NATS_URL, options.tls), { health, log });
  health.degradable.set('clock', clockSkewCheck(bus));
  health.degradable.set('nats_storage', () => storageFault(connected.storageCapacity));
  serving.push(
    reportTlsFaults(connected.nc, options, (fault) => {
      connectionState.nc = fault;
      log.error(`NATS: ${fault}`);
    }),
  );
  if (config.NATS_URL.includes(',')) serving.push(...leaveServers(connected, log));
  for (const name of connectionNames) void logConnectionChanges(bus, { name, connectionState, log });
  if (servesStatus(bus.user)) {
    serveProcessStatus(bus, health, (error) => log.warn({ err: error }, 'the status could not be reported'));
    serving.push(
      serveBackups(connected, (error) => log.warn({ err: error }, 'a stream could not be copied')),
      serveDiscards(bus, (error) => log.warn({ err: error }, 'newer events could not be discarded')),
    );
  }
  return bus;
};

/** Leaves servers that do not work any more, or will end. */
const leaveServers = (bus: Bus, log: Runtime['log']): Running[] => [
  ...connectionNames.flatMap((name) => [
    leaveSilentServer(bus[name], (server) => log.warn({ server }, 'NATS does not answer; another server is tried')),
    leaveLameDuck(bus[name], (server) => log.info({ server }, 'a server of NATS will end; another one is used')),
  ]),
  ...(servesStatus(bus.user)
    ? [leaveCutOffServer(bus, (server) => log.warn({ server }, 'no heartbeat arrives; another server is tried'))]
    : []),
];

export const busOptions = (
  config: TlsVariables &
    Pick<BusConfig, 'NATS_URL' | 'NATS_USER' | 'NATS_PASSWORD' | 'NATS_STORAGE_GB' | 'NATS_PARTITIONS'>,
): Pick<BusOptions, 'url' | 'user' | 'password' | 'storageBytes' | 'partitions' | 'tls'> => ({
  url: config.NATS_URL,
  user: config.NATS_USER,
  ...(config.NATS_PASSWORD === undefined ? {} : { password: config.NATS_PASSWORD }),
  ...(config.NATS_PARTITIONS === undefined ? {} : { partitions: config.NATS_PARTITIONS }),
  ...(config.NATS_STORAGE_GB === undefined ? {} : { storageBytes: config.NATS_STORAGE_GB * 1e9 }),
  ...tlsIn(config),
});

const retryMs = 1_000;

/** Logs each new reason once. */
const connectWithRetry = async (
  options: BusOptions,
  { connectionState, log, signal }: { connectionState: ConnectionState; log: Runtime['log']; signal: AbortSignal },
): Promise<AdminBus> => {
  for (;;) {
    try {
      const bus = await connectBus(options);
      connectionState.nc = null;
      return bus;
    } catch (error) {
      const why = errorMessageOf(error, options.user);
      if (why !== connectionState.nc) log.warn({ err: error }, `waiting for NATS: ${why}`);
      connectionState.nc = why;
    }
    await delay(withJitter(retryMs), undefined, { signal });
  }
};

/** Without the server's address, which may contain a password. */
const errorMessageOf = (error: unknown, user: string): string => {
  if (error instanceof errors.AuthorizationError) return `the user ${user} or its password is refused`;
  if (error instanceof errors.TimeoutError) return 'no answer in time';
  return error instanceof Error ? error.message : String(error);
};

const pingTimeoutMs = 1_500;

const stateOf = async (bus: Bus, connectionState: ConnectionState): Promise<string | null> => {
  if (connectionNames.some((name) => bus[name].isClosed())) return 'the connection is closed';
  const why = connectionState.nc ?? connectionState.streams;
  if (why !== null) return why;
  const { error } = checkServerVersion(bus.nc.info, bus.replicas);
  if (error !== null) return error;
  const reached = Promise.all(connectionNames.map((name) => bus[name].rtt())).then(() => null);
  const pingFailure = await withTimeout(pingTimeoutMs, reached, () => `no answer within ${pingTimeoutMs} ms`);
  const [pendingWait] = bus.pendingWaits ?? [];
  const [stalled] = bus.subscriptions?.faults.values() ?? [];
  return pingFailure ?? (pendingWait === undefined ? (stalled ?? null) : `waits ${pendingWait[0]}: ${pendingWait[1]}`);
};

/** A single old server is only worth a warning. A cluster of old servers degrades the process. */
const watchServer = (bus: Bus, health: Runtime['health'], log: Runtime['log']): void => {
  const versionWarning = (): string | null => checkServerVersion(bus.nc.info, bus.replicas).warning;
  if (versionWarning() !== null) log.warn(versionWarning());
  health.degradable.set('nats_version', () => (bus.nc.info?.cluster === undefined ? null : versionWarning()));
};

/** The client reports several reconnection attempts per second. Only the first of both connections is logged. */
const logConnectionChanges = async (
  bus: Bus,
  {
    name,
    connectionState,
    log,
  }: { name: (typeof connectionNames)[number]; connectionState: ConnectionState; log: Runtime['log'] },
): Promise<void> => {
  const isKnown = (why: string | null): boolean => connectionNames.some((one) => connectionState[one] === why);
  const isAvailable = (): boolean => connectionNames.every((one) => connectionState[one] === null);
  for await (const status of bus[name].status()) {
    if (status.type === 'error' && !(status.error instanceof errors.AuthorizationError)) {
      log.error({ err: status.error }, 'NATS rejected an operation');
    } else if (status.type === 'error') {
      const why = errorMessageOf(status.error, bus.user);
      if (!isKnown(why)) log.error({ err: status.error }, `NATS: ${why}`);
      connectionState[name] = why;
    }
    if (status.type === 'disconnect') {
      if (isAvailable()) log.warn({ server: status.server }, 'NATS is unavailable');
      connectionState[name] ??= 'connection disconnected';
    }
    if (status.type === 'reconnect' && connectionState[name] !== null) {
      connectionState[name] = null;
      if (isAvailable()) log.info({ server: status.server }, 'NATS is available again');
    }
    if (status.type === 'staleConnection') log.warn('NATS does not answer');
    if (status.type === 'slowConsumer')
      log.warn({ pending: status.pending }, 'NATS messages arrive faster than this process reads them');
  }
  const cause = await bus[name].closed();
  if (cause) log.error({ err: cause }, 'the NATS connection closed');
};
