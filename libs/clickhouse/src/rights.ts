const catalogue = ['series', 'events', 'markets', 'event_figures'];

/** Applied migrations, because a process waits for those it needs, and free disk space. */
const health = ['schema_migrations', 'system.disks'];

export type ClickHouseService = 'catalog' | 'timeseries' | 'export';

/**
 * The complete rights of each user: SELECT on `read` and `write`, INSERT on `write`, for tables of the database
 * `default`. The local system, docker-compose.yml and Kubernetes all use this list.
 */
export const clickHouseRights: Readonly<
  Record<ClickHouseService, { readonly read: readonly string[]; readonly write: readonly string[] }>
> = {
  catalog: { read: ['snapshots', ...health], write: [...catalogue, 'market_words'] },
  timeseries: { read: [...health], write: ['snapshots', 'trades', 'recorded_spans', 'unannounced_batches'] },
  export: { read: ['snapshots', 'trades', 'recorded_spans', ...catalogue, ...health], write: ['exports'] },
};
