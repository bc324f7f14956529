import { localServers, type NatsAccount, type RunningServer, type ServerStarters } from '@almanac/local';
import { killable, type Killable, type ServerName } from '@almanac/testing';

/** Servers that stop, and restart unchanged or with other passwords, while a whole system uses them. */
export interface ReconfigurableServers {
  readonly starters: ServerStarters;
  kill(name: ServerName): Promise<void>;
  startAgain(name: ServerName, passwords: 'of before' | 'other'): Promise<void>;
}

const other = 'another-password';

const withOther = <User extends object>(users: readonly User[] = []) =>
  users.map((user) => ({ ...user, password: other }));

const accountsWithOther = (accounts: Readonly<Record<string, NatsAccount>> = {}): Record<string, NatsAccount> =>
  Object.fromEntries(
    Object.entries(accounts).map(([name, account]) => [name, { ...account, users: withOther(account.users) }]),
  );

/** Local processes, since a container keeps its configuration. */
export const reconfigurableServers = (): ReconfigurableServers => {
  const reconfigured = new Set<ServerName>();
  const running = new Map<ServerName, RunningServer & Killable>();
  const of =
    <Options extends object>(
      name: ServerName,
      start: (options: Options) => Promise<RunningServer>,
      withOtherPasswords: (options: Options) => Options,
    ) =>
    async (options: Options): Promise<RunningServer> => {
      const one = await killable((port) => {
        const effectiveOptions = reconfigured.has(name) ? withOtherPasswords(options) : options;
        return start(port === undefined ? effectiveOptions : { ...effectiveOptions, port });
      });
      running.set(name, one);
      return one;
    };
  const serverOf = (name: ServerName): RunningServer & Killable => {
    const one = running.get(name);
    if (one === undefined) throw new Error(`${name} does not run`);
    return one;
  };
  return {
    starters: {
      nats: of(
        'nats',
        (options) => localServers.nats(options),
        (options) => ({ ...options, accounts: accountsWithOther(options.accounts) }),
      ),
      redis: of(
        'redis',
        (options) => localServers.redis(options),
        (options) => ({ ...options, users: withOther(options.users) }),
      ),
      clickhouse: of(
        'clickhouse',
        (options) => localServers.clickhouse(options),
        (options) => ({ ...options, users: withOther(options.users) }),
      ),
      s3: of(
        's3',
        (options) => localServers.s3(options),
        (options) => ({ ...options, users: options.users?.map((user) => ({ ...user, secretAccessKey: other })) ?? [] }),
      ),
    },
    kill: (name) => serverOf(name).kill(),
    startAgain: async (name, passwords) => {
      if (passwords === 'other') reconfigured.add(name);
      else reconfigured.delete(name);
      await serverOf(name).startAgain();
    },
  };
};
