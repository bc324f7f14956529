import { setTimeout as delay } from 'node:timers/promises';
import type { Runtime } from '@almanac/runtime';
import { type Bus, connectBus } from './bus.js';
import { tellsStatus } from './permissions.js';
import { tellStatus } from './process-status.js';

/** The `NATS_…` part of `processVariables`. */
export interface BusConfig {
  readonly NATS_URL: string;
  readonly NATS_USER: string;
  readonly NATS_PASSWORD?: string | undefined;
  readonly NATS_REPLICAS: number;
}

/**
 * Connects a process to NATS as its configuration says: the connection is part of its health, its changes and the
 * subjects it is refused are logged, and it is closed after everything that was registered later.
 */
export const connectFromConfig = async (
  config: BusConfig,
  { health, onStop, log }: Pick<Runtime, 'health' | 'onStop' | 'log'>,
): Promise<Bus> => {
  const bus = await connectBus({
    url: config.NATS_URL,
    user: config.NATS_USER,
    ...(config.NATS_PASSWORD === undefined ? {} : { password: config.NATS_PASSWORD }),
    replicas: config.NATS_REPLICAS,
  });
  onStop('bus', () => bus.close());
  health.checks.set('nats', () => reachability(bus));
  void logChanges(bus, log);
  if (tellsStatus(bus.user)) {
    tellStatus(bus, health, (error) => log.warn({ err: error }, 'the status could not be told'));
  }
  return bus;
};

const reachMs = 1_500;

const reachability = async (bus: Bus): Promise<string | null> => {
  if (bus.nc.isClosed()) return 'the connection is closed';
  const answered = new AbortController();
  const late = delay(reachMs, `no answer within ${reachMs} ms`, { signal: answered.signal }).catch(() => null);
  try {
    return await Promise.race([bus.nc.rtt().then(() => null), late]);
  } finally {
    answered.abort();
  }
};

/** Ends with the connection. */
const logChanges = async (bus: Bus, log: Runtime['log']): Promise<void> => {
  for await (const status of bus.nc.status()) {
    if (status.type === 'error') log.error({ err: status.error }, 'NATS refuses');
    if (status.type === 'disconnect') log.warn({ server: status.server }, 'NATS is away');
    if (status.type === 'reconnect') log.info({ server: status.server }, 'NATS is back');
    if (status.type === 'staleConnection') log.warn('NATS does not answer');
    if (status.type === 'slowConsumer')
      log.warn({ pending: status.pending }, 'NATS messages come faster than they are read');
  }
  const cause = await bus.nc.closed();
  if (cause) log.error({ err: cause }, 'the NATS connection has ended');
};
