import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type ProcessName, processNames } from '@almanac/contracts';
import { freePort, LocalServerError, type ServerStarters } from '@almanac/local-servers';
import { claimHome } from './home-lock.js';
import { clickHouseAddress, type Infrastructure, startInfrastructure, storesEnvironment } from './infrastructure.js';
import { userMessageOf } from './error-message.js';
import { partitionVariables } from './partitions.js';
import { loadSecrets, type Secrets, writePrivate } from './secrets.js';
import { environmentOf, type RunningService, startServiceProcess } from './services.js';
import { type Starter, supervise } from './supervise.js';
import { watchJetStream } from './watch-jetstream.js';

export interface SystemOptions {
  /** Folder of all state, created if missing. Only one system at a time may use it. */
  readonly home: string;
  /** The first gateway's port. 0 takes a free one. */
  readonly port: number;
  readonly gateways?: number;
  readonly print: (line: string) => void;
  /** Additional environment of a service, such as another limit. */
  readonly environment?: Partial<Record<ProcessName, NodeJS.ProcessEnv>>;
  /** How the servers are started. Default: as programs of this machine. */
  readonly servers?: ServerStarters;
  /** Aborted to end a start that has not finished. */
  readonly signal?: AbortSignal;
}

/** All services and their servers, as children of this process. */
export interface System {
  readonly home: string;
  /** One for each gateway. The tour uses the first. */
  readonly baseUrls: readonly [string, ...string[]];
  readonly infrastructure: Infrastructure;
  readonly secrets: Secrets;
  /** By name: the six services, then `gateway-2` and so on. */
  readonly services: ReadonlyMap<string, RunningService>;
  /** Kills one service like `kill -9`. It stays down until `restart`. */
  kill(name: string): Promise<void>;
  restart(name: string): Promise<void>;
  /** Ends one service with SIGTERM. It stays down until `restart`. */
  end(name: string): Promise<void>;
  /** Starts a second process of a service, then ends the old one. Not for a gateway, whose port is fixed. */
  replace(name: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts everything on loopback, and restarts what dies. Throws a LocalServerError with one sentence if something cannot
 * start.
 */
export const startSystem = async (options: SystemOptions): Promise<System> => {
  const { home } = options;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const claim = await claimHome(home);
  const stops: (() => Promise<void>)[] = [() => claim.release()];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).toReversed()) await stopOrReport(end, options.print);
  };
  try {
    const started = await startComponents(options, (end) => stops.push(end));
    stops.push(() => claim.stopping());
    return { home, ...started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** A component that cannot stop, for example on a full disk, must not keep the others running. */
const stopOrReport = async (end: () => Promise<void>, print: (line: string) => void): Promise<void> => {
  try {
    await end();
  } catch (error) {
    print(userMessageOf(error));
  }
};

const startComponents = async (
  options: SystemOptions,
  onStop: (stop: () => Promise<void>) => void,
): Promise<Omit<System, 'home' | 'stop'>> => {
  const { home, print, servers, signal } = options;
  const ports = await gatewayPorts(options);
  const secrets = await loadSecrets(home);
  const infrastructure = await startInfrastructure(home, secrets, { print, servers, signal });
  onStop(() => infrastructure.stop());
  print(`Servers    ${infrastructure.servers.map(({ name }) => name).join(', ')} on loopback`);
  const supervised = supervise(startersOf(options, { infrastructure, secrets, ports }), { print, signal });
  onStop(() => supervised.stop());
  await supervised.startAll();
  const jetStream = await watchJetStream(infrastructure, { folder: home, password: secrets.nats.operator });
  onStop(() => jetStream.stop());
  await writeConnections(home, { infrastructure, secrets });
  print(`Services   ${[...supervised.running.keys()].join(', ')}`);
  const [first = '', ...others] = ports.map((port) => `http://127.0.0.1:${port}`);
  return {
    baseUrls: [first, ...others],
    infrastructure,
    secrets,
    services: supervised.running,
    kill: (name) => supervised.kill(name),
    restart: (name) => supervised.start(name),
    end: (name) => supervised.end(name),
    replace: (name) => supervised.replace(name),
  };
};

const startersOf = (
  { home, environment, print }: SystemOptions,
  given: { infrastructure: Infrastructure; secrets: Secrets; ports: readonly number[] },
): ReadonlyMap<string, Starter<RunningService>> => {
  const starter = (name: string, service: ProcessName, port: number): [string, Starter<RunningService>] => {
    const serviceEnvironment = { ...environmentOf(service, { ...given, home, port }), ...environment?.[service] };
    return [
      name,
      (stopping) => startServiceProcess({ service, name, home, environment: serviceEnvironment, print, stopping }),
    ];
  };
  const services = processNames.filter((service) => service !== 'gateway');
  return new Map([
    ...services.map((service) => starter(service, service, 0)),
    ...given.ports.map((port, index) => starter(index === 0 ? 'gateway' : `gateway-${index + 1}`, 'gateway', port)),
  ]);
};

/** Reports a requested port that is taken before anything starts. */
const gatewayPorts = async ({ port, gateways = 1 }: SystemOptions): Promise<number[]> => {
  if (port !== 0) await requireFree(port);
  const ports = [port === 0 ? await freePort() : port];
  while (ports.length < gateways) ports.push(await freePort());
  return ports;
};

const requireFree = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = `Port ${port} is already in use. Stop the program that uses it, or set PORT to another port.`;
      const other = `Port ${port} cannot be used (${cause.code ?? cause.message}). Set PORT to another port.`;
      reject(new LocalServerError(cause.code === 'EADDRINUSE' ? taken : other, { cause }));
    });
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()));
  });

/** Writes the files that tell the command lines and the example subscriber how to reach the system. */
const writeConnections = async (
  home: string,
  { infrastructure, secrets }: { infrastructure: Infrastructure; secrets: Secrets },
): Promise<void> => {
  const nats = (user: 'ingest' | 'operator' | 'catalog' | 'export' | 'subscriber') => ({
    NATS_URL: infrastructure.natsUrl,
    NATS_USER: user,
    NATS_PASSWORD: secrets.nats[user],
    ...partitionVariables(process.env),
  });
  const schema = {
    ...clickHouseAddress(infrastructure),
    CLICKHOUSE_USER: 'admin',
    CLICKHOUSE_PASSWORD: secrets.clickhouse.admin,
  };
  const files = {
    ingest: nats('ingest'),
    operator: nats('operator'),
    backup: storesEnvironment(infrastructure, secrets),
    rebuild: { ...nats('catalog'), ...schema },
    'rebuild-exports': { ...nats('export'), ...schema },
    subscriber: nats('subscriber'),
  };
  for (const [name, variables] of Object.entries(files)) {
    const lines = Object.entries(variables).map(([variable, value]) => `${variable}=${value}\n`);
    await writePrivate(join(home, `${name}.env`), lines.join(''));
  }
};
