import { setTimeout as delay } from 'node:timers/promises';
import { type Runtime, withTimeout } from '@almanac/runtime';
import { errors } from '@nats-io/transport-node';
import { type Bus, type BusOptions, connectBus } from './bus.js';
import { clockCheck } from './clock.js';
import { tellsStatus } from './permissions.js';
import { tellStatus } from './process-status.js';
import { wantOfRoom } from './room.js';
import { serverFaults } from './server-faults.js';

/** The `NATS_…` part of `processVariables`. */
export interface BusConfig {
  readonly NATS_URL: string;
  readonly NATS_USER: string;
  readonly NATS_PASSWORD?: string | undefined;
  readonly NATS_REPLICAS: number;
}

/** What keeps this process from NATS just now, a sentence; null when nothing does. */
interface Trouble {
  why: string | null;
}

/**
 * Connects a process to NATS as its configuration says, and waits for as long as a server is away, refuses the login or
 * is too old: the connection is part of the process' health, what changes and the subjects it is refused are logged, and
 * it is closed after everything that was registered later.
 */
export const connectFromConfig = async (
  config: BusConfig,
  { health, onStop, log }: Pick<Runtime, 'health' | 'onStop' | 'log'>,
): Promise<Bus> => {
  const trouble: Trouble = { why: 'not connected yet' };
  const stopping = new AbortController();
  let bus: Bus | undefined;
  onStop('bus', async () => {
    stopping.abort();
    await bus?.close();
  });
  health.checks.set('nats', () => (bus === undefined ? trouble.why : stateOf(bus, trouble)));
  const options = { ...busOptions(config), replicas: config.NATS_REPLICAS, connectTimeoutMs: 5_000 };
  const connected = await untilConnected(options, { trouble, log, signal: stopping.signal });
  bus = { ...connected, waits: new Map<string, string>() };
  watchServer(bus, health, log);
  health.optional.set('clock', clockCheck(bus));
  health.optional.set('nats_room', () => wantOfRoom(connected.room));
  void followChanges(bus, trouble, log);
  if (tellsStatus(bus.user)) {
    tellStatus(bus, health, (error) => log.warn({ err: error }, 'the status could not be told'));
  }
  return bus;
};

/** How a configuration reaches NATS. */
export const busOptions = (
  config: Pick<BusConfig, 'NATS_URL' | 'NATS_USER' | 'NATS_PASSWORD'>,
): Pick<BusOptions, 'url' | 'user' | 'password'> => ({
  url: config.NATS_URL,
  user: config.NATS_USER,
  ...(config.NATS_PASSWORD === undefined ? {} : { password: config.NATS_PASSWORD }),
});

const againMs = 1_000;

/** Each new reason is logged once. */
const untilConnected = async (
  options: BusOptions,
  { trouble, log, signal }: { trouble: Trouble; log: Runtime['log']; signal: AbortSignal },
): Promise<Bus> => {
  for (;;) {
    try {
      const bus = await connectBus(options);
      trouble.why = null;
      return bus;
    } catch (error) {
      const why = sentenceOf(error, options.user);
      if (why !== trouble.why) log.warn({ err: error }, `waiting for NATS: ${why}`);
      trouble.why = why;
    }
    await delay(againMs * (0.5 + Math.random()), undefined, { signal });
  }
};

/** Without the address, which may hold a password. */
const sentenceOf = (error: unknown, user: string): string => {
  if (error instanceof errors.AuthorizationError) return `the user ${user} or its password is refused`;
  if (error instanceof errors.TimeoutError) return 'no answer in time';
  return error instanceof Error ? error.message : String(error);
};

const reachMs = 1_500;

const stateOf = async (bus: Bus, trouble: Trouble): Promise<string | null> => {
  if (bus.nc.isClosed()) return 'the connection is closed';
  if (trouble.why !== null) return trouble.why;
  const { refused } = serverFaults(bus.nc.info, bus.replicas);
  if (refused !== null) return refused;
  const reached = bus.nc.rtt().then(() => null);
  const silence = await withTimeout(reachMs, reached, () => `no answer within ${reachMs} ms`);
  const [wait] = bus.waits ?? [];
  return silence ?? (wait === undefined ? null : `waits ${wait[0]}: ${wait[1]}`);
};

/** An old server of one's own is good enough for one machine; a cluster of them is told for as long as it is one. */
const watchServer = (bus: Bus, health: Runtime['health'], log: Runtime['log']): void => {
  const doubt = (): string | null => serverFaults(bus.nc.info, bus.replicas).doubtful;
  if (doubt() !== null) log.warn(doubt());
  health.optional.set('nats_version', () => (bus.nc.info?.cluster === undefined ? null : doubt()));
};

/** Ends with the connection. The client tries again several times a second, and tells of each time; here it is told once. */
const followChanges = async (bus: Bus, trouble: Trouble, log: Runtime['log']): Promise<void> => {
  for await (const status of bus.nc.status()) {
    if (status.type === 'error' && !(status.error instanceof errors.AuthorizationError)) {
      log.error({ err: status.error }, 'NATS refuses');
    } else if (status.type === 'error') {
      const why = sentenceOf(status.error, bus.user);
      if (trouble.why !== why) log.error({ err: status.error }, `NATS: ${why}`);
      trouble.why = why;
    }
    if (status.type === 'disconnect') {
      if (trouble.why === null) log.warn({ server: status.server }, 'NATS is away');
      trouble.why ??= 'connection disconnected';
    }
    if (status.type === 'reconnect') {
      if (trouble.why !== null) log.info({ server: status.server }, 'NATS is back');
      trouble.why = null;
    }
    if (status.type === 'staleConnection') log.warn('NATS does not answer');
    if (status.type === 'slowConsumer')
      log.warn({ pending: status.pending }, 'NATS messages come faster than they are read');
  }
  const cause = await bus.nc.closed();
  if (cause) log.error({ err: cause }, 'the NATS connection has ended');
};
