import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClickHouseUser, localServers, type RunningServer } from '@almanac/local-servers';
import { clickHouseProxy, type ProxiedRequest } from './clickhouse-proxy.js';
import { clusterConfiguration, onOneServer, schemaChange } from './clickhouse-shards.js';

/** The settings of a cluster without which a read may miss acknowledged rows. */
export const consistencySettings = [
  'select_sequential_consistency',
  'insert_quorum',
  'insert_quorum_parallel',
] as const;
export type ConsistencySetting = (typeof consistencySettings)[number];

export interface LaggingReplica {
  /** From now on, the lagging replica stores no insert until `catchUp`. */
  lag(): void;
  /** Brings its inserts up to date, one after the other. */
  catchUp(): Promise<void>;
  /** Removes these settings from all further requests, as if no client had set them. */
  ignore(settings: readonly ConsistencySetting[]): void;
  /** Reads that the lagging replica answered or refused since the last call, and reads that the other one answered. */
  reads(): { readonly lagging: number; readonly refused: number; readonly upToDate: number };
}

/**
 * A stand-in for a shard of three replicas, because the engine of the tests has no Keeper. One engine stands for the two
 * replicas that have every acknowledged insert. Another one is the third replica, which can lag.
 *
 * Each read asks the lagging replica first, and its next attempt the other one. The lagging replica refuses as the
 * documentation says: with `select_sequential_consistency`, if it lacks an insert into a table of the query, and if that
 * insert was acknowledged by a quorum whose inserts are in one order. Keeper knows no last insert of a quorum otherwise.
 * Inserts reach a replica that does not lag. So the servers' own protocol is not tested here.
 */
export const replicatedClickHouse = async (
  dir: string,
  users: readonly ClickHouseUser[],
): Promise<RunningServer & LaggingReplica> => {
  const [upToDate, lagging] = await Promise.all(
    ['up-to-date', 'lagging'].map((name) => replica(join(dir, name), users)),
  );
  if (upToDate === undefined || lagging === undefined) throw new TypeError('Two replicas were started.');
  const inserts = laggingInserts(lagging.url);
  const refusedOnce = new Set<string>();
  let counts = { lagging: 0, refused: 0, upToDate: 0 };
  let ignored: readonly ConsistencySetting[] = [];
  const proxy = await clickHouseProxy(async (original, forward, response) => {
    const proxied = withoutSettings(original, ignored);
    const sql = sqlOf(proxied);
    if (schemaChange.test(sql)) {
      const changed = { ...proxied, body: onOneServer(proxied.body) };
      await repeat(lagging.url, changed);
      return forward(upToDate.url, changed);
    }
    if (/^\s*INSERT\b/.test(sql)) {
      await forward(upToDate.url, proxied);
      return inserts.add(proxied);
    }
    const attempt = `${new URL(proxied.url, upToDate.url).search.replace(/query_id=[^&]*/, '')}\n${sql}`;
    if (refusedOnce.delete(attempt)) {
      counts.upToDate += 1;
      return forward(upToDate.url, proxied);
    }
    if (inserts.refuse(proxied)) {
      counts.refused += 1;
      refusedOnce.add(attempt);
      response.writeHead(500, { 'X-ClickHouse-Exception-Code': '289' });
      response.end('Code: 289. DB::Exception: This replica lacks a part of a quorum. (REPLICA_IS_NOT_IN_QUORUM)\n');
      return;
    }
    counts.lagging += 1;
    return forward(lagging.url, proxied);
  });
  return {
    ...upToDate,
    url: proxy.url,
    lag: inserts.lag,
    catchUp: inserts.catchUp,
    ignore: (settings) => (ignored = settings),
    reads: () => {
      const since = counts;
      counts = { lagging: 0, refused: 0, upToDate: 0 };
      return since;
    },
    stop: async () => {
      await proxy.stop();
      await Promise.all([upToDate.stop(), lagging.stop()]);
    },
  };
};

const replica = async (dir: string, users: readonly ClickHouseUser[]): Promise<RunningServer> => {
  await mkdir(dir, { recursive: true });
  const configuration = join(dir, 'cluster.xml');
  await writeFile(configuration, clusterConfiguration(1));
  return localServers.clickhouse({ dir, users, engineArguments: [`--config-file=${configuration}`] });
};

/** A query is in the URL if rows follow in the body, and in the body otherwise. */
const sqlOf = ({ url, body }: ProxiedRequest): string =>
  new URL(url, 'http://localhost').searchParams.get('query') ?? body.toString();

const settingOf = ({ url }: ProxiedRequest, setting: ConsistencySetting): string =>
  new URL(url, 'http://localhost').searchParams.get(setting) ?? '';

const withoutSettings = (proxied: ProxiedRequest, settings: readonly ConsistencySetting[]): ProxiedRequest => {
  const url = new URL(proxied.url, 'http://localhost');
  for (const setting of settings) url.searchParams.delete(setting);
  return { ...proxied, url: `${url.pathname}${url.search}` };
};

interface Insert {
  readonly proxied: ProxiedRequest;
  readonly table: string;
}

/** The inserts that a replica lacks, in their order. */
const laggingInserts = (url: string) => {
  const missing: Insert[] = [];
  let isLagging = false;
  let catchingUp = Promise.resolve();
  const catchUp = (): Promise<void> => {
    catchingUp = catchingUp.then(async () => {
      for (let next = missing[0]; next !== undefined; next = missing[0]) {
        await repeat(url, next.proxied);
        missing.shift();
      }
    });
    return catchingUp;
  };
  return {
    lag: (): void => void (isLagging = true),
    catchUp: async (): Promise<void> => {
      isLagging = false;
      await catchUp();
    },
    add: async (proxied: ProxiedRequest): Promise<void> => {
      const [, table = ''] = /^\s*INSERT INTO (\w+)/.exec(sqlOf(proxied)) ?? [];
      missing.push({ proxied, table });
      if (!isLagging) await catchUp();
    },
    refuse: (read: ProxiedRequest): boolean =>
      settingOf(read, 'select_sequential_consistency') === '1' &&
      missing.some(
        ({ proxied, table }) => isOfOrderedQuorum(proxied) && new RegExp(`\\b${table}\\b`).test(sqlOf(read)),
      ),
  };
};

/** Unset, inserts with a quorum run in parallel. Then no replica needs to have all of them. */
const isOfOrderedQuorum = (insert: ProxiedRequest): boolean =>
  settingOf(insert, 'insert_quorum') === 'auto' && settingOf(insert, 'insert_quorum_parallel') === '0';

const repeat = async (target: string, { method, url, headers, body }: ProxiedRequest): Promise<void> => {
  const { authorization = '' } = headers;
  const answer = await fetch(new URL(url, target), { method, headers: { authorization }, body: new Uint8Array(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The lagging replica refuses what the other one accepts: ${text}`);
};
