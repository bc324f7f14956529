import {
  localServers,
  type NatsAccount,
  type NatsOptions,
  type RunningServer,
  type ServerStarters,
} from '@almanac/local-servers';
import { killable, type Killable, type ServerName, tcpLink, type TcpLink } from '@almanac/testing';

/** What differs from the first start: nothing, all passwords, or the storage of nats-server, which is full at once. */
export type Change = 'none' | 'other passwords' | 'no storage';

/** Servers that stop, and restart unchanged or changed, while a whole system uses them. */
export interface ReconfigurableServers {
  readonly starters: ServerStarters;
  kill(name: ServerName): Promise<void>;
  startAgain(name: ServerName, change: Change): Promise<void>;
  close(): Promise<void>;
}

const other = 'another-password';
const storeBytesMax = 4_096;

const withOther = <User extends object>(users: readonly User[] = []) =>
  users.map((user) => ({ ...user, password: other }));

const accountsWithOther = (accounts: Readonly<Record<string, NatsAccount>> = {}): Record<string, NatsAccount> =>
  Object.fromEntries(
    Object.entries(accounts).map(([name, account]) => [name, { ...account, users: withOther(account.users) }]),
  );

const changedNats = (options: NatsOptions, change: Change): NatsOptions =>
  change === 'no storage'
    ? { ...options, storeBytesMax }
    : { ...options, accounts: accountsWithOther(options.accounts) };

/** A starter of a server whose options change when the server starts again. */
type Reconfigurable = <Options extends { readonly port?: number | undefined }>(
  name: ServerName,
  start: (options: Options) => Promise<RunningServer>,
  changed: (options: Options, change: Change) => Options,
) => (options: Options) => Promise<RunningServer>;

const startersWith = (of: Reconfigurable): ServerStarters => ({
  nats: of('nats', (options: NatsOptions) => localServers.nats(options), changedNats),
  redis: of(
    'redis',
    (options: Parameters<ServerStarters['redis']>[0]) => localServers.redis(options),
    (options) => ({ ...options, users: withOther(options.users) }),
  ),
  clickhouse: of(
    'clickhouse',
    (options: Parameters<ServerStarters['clickhouse']>[0]) => localServers.clickhouse(options),
    (options) => ({ ...options, users: withOther(options.users) }),
  ),
  s3: of(
    's3',
    (options: Parameters<ServerStarters['s3']>[0]) => localServers.s3(options),
    (options) => ({ ...options, users: options.users?.map((user) => ({ ...user, secretAccessKey: other })) ?? [] }),
  ),
});

/**
 * Local processes, since a container keeps its configuration. Each has a link, whose port the system knows: nobody can
 * take it while the server does not run.
 */
export const reconfigurableServers = (): ReconfigurableServers => {
  const changes = new Map<ServerName, Change>();
  const links = new Map<ServerName, TcpLink>();
  const running = new Map<ServerName, RunningServer & Killable>();
  const linkTo = async (name: ServerName): Promise<TcpLink> => {
    const link = links.get(name) ?? (await tcpLink());
    links.set(name, link);
    return link;
  };
  const of: Reconfigurable = (name, start, changed) => async (options) => {
    const link = await linkTo(name);
    const server = await killable(async () => {
      const change = changes.get(name) ?? 'none';
      const onAnyPort = { ...options, port: undefined };
      const started = await start(change === 'none' ? onAnyPort : changed(onAnyPort, change));
      link.leadTo(started.port);
      return started;
    });
    running.set(name, server);
    const url = server.url.replace(`:${server.port}`, `:${link.port}`);
    return Object.defineProperties({} as RunningServer, {
      ...Object.getOwnPropertyDescriptors(server),
      url: { value: url },
      port: { value: link.port },
    });
  };
  const serverOf = (name: ServerName): RunningServer & Killable => {
    const one = running.get(name);
    if (one === undefined) throw new Error(`${name} does not run`);
    return one;
  };
  return {
    starters: startersWith(of),
    kill: async (name) => {
      // Port 0 refuses. Another program may get the port of the killed server.
      links.get(name)?.leadTo(0);
      await serverOf(name).kill();
    },
    startAgain: async (name, change) => {
      changes.set(name, change);
      await serverOf(name).startAgain();
    },
    close: async () => {
      await Promise.all([...links.values()].map((link) => link.close()));
    },
  };
};
