import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { freePort, LocalServerError, type RunningProcess, type ServerStarters } from '@almanac/local';
import { takeHome } from './home.js';
import { type Infrastructure, startInfrastructure } from './infrastructure.js';
import { loadSecrets, type Secrets, writePrivate } from './secrets.js';
import { environmentOf, serviceProcesses, type ServiceProcess, startServiceProcess } from './services.js';

export interface SystemOptions {
  /** Folder of all state; made when missing. One system at a time may have it. */
  readonly home: string;
  /** The first gateway's port; 0 takes a free one. */
  readonly port: number;
  readonly gateways?: number;
  /** Told what happens, a line each. */
  readonly say: (line: string) => void;
  /** More for the environment of a service, such as another limit. */
  readonly environment?: Partial<Record<ServiceProcess, NodeJS.ProcessEnv>>;
  /** Where the servers come from; default: programs of this machine. */
  readonly servers?: ServerStarters;
}

/** All services with their servers, running as children of this process. */
export interface System {
  readonly home: string;
  /** Of each gateway; the first is the one that the tour uses. */
  readonly baseUrls: readonly [string, ...string[]];
  readonly infrastructure: Infrastructure;
  readonly secrets: Secrets;
  /** By name: the six services, and `gateway-2` and on. */
  readonly services: ReadonlyMap<string, RunningProcess>;
  /** Ends one service as `kill -9` does and leaves it down until `restart`. */
  kill(name: string): Promise<void>;
  restart(name: string): Promise<void>;
  /** Settles with the reason when a server, or a service again and again, died. */
  readonly failed: Promise<LocalServerError>;
  stop(): Promise<void>;
}

/** Starts everything on loopback; throws a LocalServerError with one sentence when something cannot start. */
export const startSystem = async (options: SystemOptions): Promise<System> => {
  const { home, say } = options;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const claim = await takeHome(home);
  const ports = await gatewayPorts(options);
  const secrets = await loadSecrets(home);
  const infrastructure = await startInfrastructure(home, secrets, options.servers);
  say(`Servers    ${infrastructure.servers.map(({ name }) => name).join(', ')} on loopback`);
  const supervised = supervise(options, { infrastructure, secrets });
  try {
    await supervised.startAll(ports);
    await writeConnections(home, { infrastructure, secrets });
    say(`Services   ${[...supervised.running.keys()].join(', ')}`);
    const [first = '', ...others] = ports.map((port) => `http://127.0.0.1:${port}`);
    return {
      home,
      baseUrls: [first, ...others],
      infrastructure,
      secrets,
      services: supervised.running,
      kill: supervised.kill,
      restart: supervised.restart,
      failed: supervised.failed,
      stop: async () => {
        await claim.stopping();
        await supervised.stop();
        await infrastructure.stop();
        await claim.release();
      },
    };
  } catch (error) {
    await supervised.stop();
    await infrastructure.stop();
    await claim.release();
    throw error;
  }
};

/** A wished port that is taken is told before anything starts. */
const gatewayPorts = async ({ port, gateways = 1 }: SystemOptions): Promise<number[]> => {
  if (port !== 0 && !(await isFree(port))) {
    throw new LocalServerError(`Port ${port} is taken by another program. Stop that one, or set PORT.`);
  }
  const ports = [port === 0 ? await freePort() : port];
  while (ports.length < gateways) ports.push(await freePort());
  return ports;
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/** Restarts of one service within a minute before the whole system ends. */
const restartsMax = 3;
const restartWindowMs = 60_000;

/** Keeps the services running: one that dies is started again, and says so; one that keeps dying ends the system. */
const supervise = (options: SystemOptions, with_: { infrastructure: Infrastructure; secrets: Secrets }) => {
  const running = new Map<string, RunningProcess>();
  const starters = new Map<string, () => Promise<RunningProcess>>();
  const diedAt = new Map<string, number[]>();
  let stopping = false;
  let fail: (reason: LocalServerError) => void = () => undefined;
  const failed = new Promise<LocalServerError>((resolve) => (fail = resolve));
  for (const { process } of with_.infrastructure.servers) process.onExit(fail);

  const start = async (name: string): Promise<void> => {
    const starter = starters.get(name);
    if (starter === undefined) throw new Error(`there is no service ${name}`);
    const service = await starter();
    running.set(name, service);
    service.onExit((reason) => void revive(name, reason));
  };
  const revive = async (name: string, reason: LocalServerError): Promise<void> => {
    if (stopping) return;
    const recent = (diedAt.get(name) ?? []).filter((at) => at > Date.now() - restartWindowMs);
    diedAt.set(name, [...recent, Date.now()]);
    if (recent.length >= restartsMax) return fail(reason);
    options.say(`${reason.message}\nIt is started again.`);
    try {
      await start(name);
    } catch (error) {
      fail(error instanceof LocalServerError ? error : new LocalServerError(String(error), { cause: error }));
    }
  };
  const add = (name: string, service: ServiceProcess, port: number): void => {
    const environment = { ...environmentOf(service, { ...with_, port }), ...options.environment?.[service] };
    starters.set(name, () => startServiceProcess({ service, name, home: options.home, environment }));
  };
  return {
    running,
    failed,
    startAll: async (ports: readonly number[]): Promise<void> => {
      for (const service of serviceProcesses) if (service !== 'gateway') add(service, service, 0);
      ports.forEach((port, index) => add(index === 0 ? 'gateway' : `gateway-${index + 1}`, 'gateway', port));
      await Promise.all([...starters.keys()].map(start));
    },
    kill: async (name: string): Promise<void> => {
      const service = running.get(name);
      if (service === undefined) throw new Error(`${name} does not run`);
      running.delete(name);
      process.kill(service.pid, 'SIGKILL');
      // It is gone already; this waits for it, and says that its end was wanted.
      await service.stop();
    },
    restart: start,
    stop: async (): Promise<void> => {
      stopping = true;
      await Promise.all([...running.values()].map((service) => service.stop()));
    },
  };
};

/** How the command lines (`npm run import`, `npm run almanac`) reach a running system. */
const writeConnections = async (
  home: string,
  { infrastructure, secrets }: { infrastructure: Infrastructure; secrets: Secrets },
): Promise<void> => {
  for (const user of ['ingest', 'operator'] as const) {
    const lines = [
      `NATS_URL=${infrastructure.natsUrl}`,
      `NATS_USER=${user}`,
      `NATS_PASSWORD=${secrets.nats[user]}`,
      '',
    ];
    await writePrivate(join(home, `${user}.env`), lines.join('\n'));
  }
};
