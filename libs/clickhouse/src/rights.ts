const catalogue = ['series', 'events', 'markets', 'event_figures'];

/** Which migrations were applied: a process that needs more waits for them. And how much room there is. */
const health = ['schema_migrations', 'system.disks'];

/** The users of ClickHouse that services log in as. */
export type ClickHouseService = 'catalog' | 'timeseries' | 'export';

/**
 * What each of them may do, and nothing else: SELECT from `read` and `write`, INSERT into `write`; tables of the
 * database `default`. The local system, docker-compose.yml and Kubernetes all take it from here.
 */
export const clickHouseRights: Readonly<
  Record<ClickHouseService, { readonly read: readonly string[]; readonly write: readonly string[] }>
> = {
  catalog: { read: ['snapshots', ...health], write: [...catalogue, 'market_words'] },
  timeseries: { read: [...health], write: ['snapshots', 'gaps'] },
  export: { read: ['snapshots', 'gaps', ...catalogue, ...health], write: ['exports'] },
};
