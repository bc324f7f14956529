import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  clickHouseGrants,
  type ClickHouseOptions,
  type ClickHouseUser,
  freePort,
  type RunningServer,
} from '@almanac/local-servers';
import { shardedCluster, shardedTables } from './clickhouse-shards.js';

const run = promisify(execFile);
const composeFile = fileURLToPath(new URL('../compose/clickhouse-cluster.yml', import.meta.url));
const configuration = fileURLToPath(new URL('../../../deploy/clickhouse/', import.meta.url));
const startTimeoutMs = 600_000;

export interface ComposeCluster {
  readonly port: number;
  /** Runs a command of docker compose, and returns what it prints. */
  readonly compose: (...args: readonly string[]) => Promise<string>;
}

/** Writes the files of a cluster into a folder: those of deploy/clickhouse/cluster, with two replicas and these users. */
export const composeCluster = async ({ dir, users, port }: ClickHouseOptions): Promise<ComposeCluster> => {
  await mkdir(dir, { recursive: true });
  const text = (name: string): Promise<string> => readFile(join(configuration, name), 'utf8');
  const files = {
    'keeper.xml': await text('cluster/keeper.xml'),
    'cluster.xml': withTwoReplicas(await text('cluster/config.d/cluster.xml')),
    'almanac.xml': await text('config.d/almanac.xml'),
    'users.xml': usersFile(users),
  };
  // The servers read them as a user of their own.
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content, { mode: 0o644 });
  const variables = { FILES: dir, PORT: String(port ?? (await freePort())), SECRET: randomBytes(16).toString('hex') };
  const project = ['compose', '--project-name', `almanac-${randomBytes(4).toString('hex')}`, '--file', composeFile];
  return {
    port: Number(variables.PORT),
    compose: async (...args) => {
      const env = { ...process.env, ...variables };
      return (await run('docker', [...project, ...args], { env, timeout: startTimeoutMs, maxBuffer: 50_000_000 }))
        .stdout;
    },
  };
};

const withTwoReplicas = (xml: string): string =>
  xml.replaceAll(/\s*<replica><host>clickhouse-\d-3\.[^]*?<\/replica>/g, '');

/** A user without grants may do everything. */
const usersFile = (users: readonly ClickHouseUser[]): string =>
  `<clickhouse><users>\n${users.map(userElement).join('\n')}\n</users></clickhouse>\n`;

const userElement = (user: ClickHouseUser): string => {
  const grants = user.tables === undefined ? [] : clickHouseGrants({ ...user, tables: withLocalTables(user.tables) });
  const queries = grants.map((grant) => `<query>${grant}</query>`).join('');
  const network = '<networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>';
  const rights = grants.length === 0 ? '' : `<grants>${queries}</grants>`;
  return `<${user.user}><password>${user.password}</password>${network}${rights}</${user.user}>`;
};

const withLocalTables = ({ read, write }: NonNullable<ClickHouseUser['tables']>) => {
  const both = (tables: readonly string[]): string[] =>
    tables.flatMap((table) => (shardedTables.includes(table) ? [table, `${table}_local`] : [table]));
  return { read: both(read), write: both(write) };
};

/** A cluster of the true images, behind one address. Needs an engine that can pull them. */
export const clusterOfContainers = async (
  options: ClickHouseOptions,
): Promise<RunningServer & { readonly cluster: string }> => {
  const { port, compose } = await composeCluster(options);
  const stop = async (): Promise<void> => void (await compose('down', '--volumes', '--timeout', '5'));
  try {
    await compose('up', '--detach', '--wait');
  } catch (error) {
    await stop();
    throw error;
  }
  // Several processes stand behind the address, and none of this machine.
  return { pid: 0, port, url: `http://127.0.0.1:${port}`, cluster: shardedCluster, stop, onExit: () => undefined };
};
