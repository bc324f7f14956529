import {
  clickHouseGrants,
  freePort,
  LocalServerError,
  natsAccountsBlock,
  natsAuthorization,
  redisUserLines,
  type ClickHouseOptions,
  type ClickHouseUser,
  type NatsOptions,
  type RedisOptions,
  type RunningServer,
  type S3Options,
  type ServerStarters,
} from '@almanac/local-servers';
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from 'testcontainers';
import { images } from './images.js';

/** A container. `restart` kills it and starts it with the same files and port. */
export interface ContainerServer extends RunningServer {
  restart(): Promise<void>;
}

const startTimeoutMs = 120_000;

/** By default an engine publishes a port to every network of the machine. */
class LoopbackContainer extends GenericContainer {
  readonly #ports: { readonly inner: number; readonly port: number };

  constructor(image: string, ports: { inner: number; port: number }) {
    super(image);
    this.#ports = ports;
    this.withExposedPorts({ container: ports.inner, host: ports.port }).withStartupTimeout(startTimeoutMs);
  }

  protected override async beforeContainerCreated(): Promise<void> {
    const { inner, port } = this.#ports;
    this.hostConfig.PortBindings = { [`${inner}/tcp`]: [{ HostIp: '127.0.0.1', HostPort: String(port) }] };
    return Promise.resolve();
  }
}

/** The common settings of all images. The host port stays the same over a restart. */
const container = async (image: string, inner: number, requestedPort = 0) => {
  const port = requestedPort > 0 ? requestedPort : await freePort();
  return { made: new LoopbackContainer(image, { inner, port }), port };
};

const running = async (
  starting: Promise<StartedTestContainer>,
  port: number,
  urlAt: (address: string) => string,
): Promise<ContainerServer> => {
  const started = await starting;
  return {
    pid: await pidOf(started),
    port,
    url: urlAt(`127.0.0.1:${port}`),
    stop: async () => {
      await started.stop({ remove: true, removeVolumes: true, timeout: 5_000 });
    },
    restart: async () => started.restart({ timeout: 0 }),
    // The engine reports no exit. A test fails when it uses a dead server.
    onExit: () => undefined,
  };
};

/** The engine's process id. It is valid on this machine if the engine runs here, as a memory test requires. */
const pidOf = async (started: StartedTestContainer): Promise<number> => {
  const { container: containers } = await getContainerRuntimeClient();
  const { State: state } = await containers.inspect(containers.getById(started.getId()));
  return state.Pid;
};

/** nats-server with JetStream and the same users as the local one. `dir` is unused; files stay in the container. */
export const natsContainer = async ({
  port: requestedPort,
  users,
  accounts,
}: NatsOptions): Promise<ContainerServer> => {
  const { made, port } = await container(images.nats, 4222, requestedPort);
  const authorization = users === undefined ? {} : { authorization: natsAuthorization(users) };
  const logins = accounts === undefined ? authorization : natsAccountsBlock(accounts);
  const content = JSON.stringify({ max_payload: 1_048_576, jetstream: { store_dir: '/data' }, ...logins });
  const starting = made
    .withCopyContentToContainer([{ content, target: '/etc/nats/test.conf' }])
    .withCommand(['-c', '/etc/nats/test.conf'])
    .withWaitStrategy(Wait.forLogMessage('Server is ready'))
    .start();
  return running(starting, port, (address) => `nats://${address}`);
};

const redisContainer = async ({ port: requestedPort, users = [] }: RedisOptions): Promise<ContainerServer> => {
  const { made, port } = await container(images.redis, 6379, requestedPort);
  const content = ['save ""', 'appendonly no', ...(users.length === 0 ? [] : redisUserLines(users)), ''].join('\n');
  const starting = made
    .withCopyContentToContainer([{ content, target: '/etc/redis/test.conf' }])
    .withCommand(['redis-server', '/etc/redis/test.conf'])
    .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'))
    .start();
  return running(starting, port, (address) => `redis://${address}`);
};

/** The first user with all rights comes with the container and creates the others, as an operator does. */
const clickHouseContainer = async ({ port: requestedPort, users }: ClickHouseOptions): Promise<ContainerServer> => {
  const operator = users.find(({ tables, readonly }) => tables === undefined && readonly !== true);
  if (operator === undefined) throw new LocalServerError('One ClickHouse user must be allowed everything.');
  const { made, port } = await container(images.clickhouse, 8123, requestedPort);
  const starting = made
    .withEnvironment({
      CLICKHOUSE_USER: operator.user,
      CLICKHOUSE_PASSWORD: operator.password,
      CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT: '1',
    })
    .withUlimits({ nofile: { soft: 262_144, hard: 262_144 } })
    .withWaitStrategy(Wait.forHttp('/ping', 8123))
    .start();
  const server = await running(starting, port, (address) => `http://${address}`);
  try {
    for (const user of users) {
      if (user === operator) continue;
      for (const sql of userStatements(user)) await execute(server.url, operator, sql);
    }
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
};

/** `readonly` 2 allows only reads, but also the settings that the client sends. */
const userStatements = (user: ClickHouseUser): string[] => [
  `CREATE USER ${user.user} IDENTIFIED WITH sha256_password BY '${user.password}'` +
    (user.readonly === true ? ' SETTINGS readonly = 2' : ''),
  ...clickHouseGrants(user).map((grant) => `${grant} TO ${user.user}`),
];

const execute = async (url: string, { user, password }: ClickHouseUser, sql: string): Promise<void> => {
  const headers = { 'x-clickhouse-user': user, 'x-clickhouse-key': password };
  const answer = await fetch(url, { method: 'POST', headers, body: sql, signal: AbortSignal.timeout(10_000) });
  const text = await answer.text();
  if (!answer.ok) throw new LocalServerError(`ClickHouse refused a user of the test: ${text.trim()}`);
};

/** A folder is a bucket to this server, so the bucket exists from the start, as with the local one. */
const s3Container = async (options: S3Options): Promise<ContainerServer> => {
  const { made, port } = await container(images.s3, 7070, options.port);
  const starting = made
    .withEnvironment({
      ROOT_ACCESS_KEY_ID: options.accessKeyId,
      ROOT_SECRET_ACCESS_KEY: options.secretAccessKey,
      VGW_HEALTH: '/health',
      VGW_IAM_DIR: '/etc/versitygw',
    })
    .withCopyContentToContainer([{ content: versityUsers(options.users), target: '/etc/versitygw/users.json' }])
    .withEntrypoint(['/bin/sh', '-c'])
    .withCommand([`mkdir -p /data/${options.bucket} && exec versitygw posix /data`])
    .withWaitStrategy(Wait.forHttp('/health', 7070))
    .start();
  return running(starting, port, (address) => `http://${address}`);
};

/** The same format as deploy/s3/start.sh writes. */
const versityUsers = (users: S3Options['users'] = []): string => {
  const account = { role: 'user', userID: 0, groupID: 0, projectID: 0 };
  const accounts: Record<string, object> = {};
  for (const { accessKeyId: access, secretAccessKey: secret } of users) {
    accounts[access] = { access, secret, ...account };
  }
  return JSON.stringify({ accessAccounts: accounts });
};

export const containerServers: ServerStarters = {
  nats: natsContainer,
  redis: redisContainer,
  clickhouse: clickHouseContainer,
  s3: s3Container,
};
