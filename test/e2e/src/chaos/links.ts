import { type ProcessName, processNames, serviceRows } from '@almanac/contracts';
import type { RunningServer, ServerStarters } from '@almanac/local-servers';
import type { SystemOptions } from '@almanac/operator';
import { type ServerName, tcpLink, type TcpLink } from '@almanac/testing';

/** The servers that each service uses. */
const usedBy = (name: ProcessName): readonly ServerName[] => [
  'nats',
  ...serviceRows[name].uses.map((server) => (server === 's3-slabs' ? 's3' : server)),
];

const addressOf: Readonly<Record<ServerName, (port: number) => NodeJS.ProcessEnv>> = {
  nats: (port) => ({ NATS_URL: `nats://127.0.0.1:${port}` }),
  redis: (port) => ({ REDIS_URL: `redis://127.0.0.1:${port}` }),
  clickhouse: (port) => ({ CLICKHOUSE_URL: `http://127.0.0.1:${port}` }),
  s3: (port) => ({ S3_ENDPOINT: `http://127.0.0.1:${port}` }),
};

export interface ServiceLinks {
  /** By name, such as `commerce to nats`. */
  readonly links: ReadonlyMap<string, TcpLink>;
  /** Makes the services use the links. */
  readonly environment: Partial<Record<ProcessName, NodeJS.ProcessEnv>>;
  /** The starters, which lead the links to the servers that they start. */
  readonly starters: ServerStarters;
  close(): Promise<void>;
}

/** A link between each service and each of its servers but some. The processes of a service share it. */
export const serviceLinks = async (
  starters: ServerStarters,
  given: NonNullable<SystemOptions['environment']>,
  without: readonly ServerName[] = [],
): Promise<ServiceLinks> => {
  const links = new Map<string, TcpLink>();
  const environment: Partial<Record<ProcessName, NodeJS.ProcessEnv>> = {};
  for (const [service, servers] of processNames.map((name) => [name, usedBy(name)] as const)) {
    const own: NodeJS.ProcessEnv = { ...given[service] };
    for (const server of servers.filter((name) => !without.includes(name))) {
      const link = await tcpLink();
      links.set(`${service} to ${server}`, link);
      Object.assign(own, addressOf[server](link.port));
    }
    environment[service] = own;
  }
  const linked =
    <Options extends object>(name: ServerName, start: (options: Options) => Promise<RunningServer>) =>
    async (options: Options): Promise<RunningServer> => {
      const server = await start(options);
      for (const [link, one] of links) if (link.endsWith(` to ${name}`)) one.leadTo(server.port);
      return server;
    };
  return {
    links,
    environment,
    starters: {
      nats: linked('nats', (options: Parameters<ServerStarters['nats']>[0]) => starters.nats(options)),
      redis: linked('redis', (options: Parameters<ServerStarters['redis']>[0]) => starters.redis(options)),
      clickhouse: linked('clickhouse', (options: Parameters<ServerStarters['clickhouse']>[0]) =>
        starters.clickhouse(options),
      ),
      s3: linked('s3', (options: Parameters<ServerStarters['s3']>[0]) => starters.s3(options)),
    },
    close: async () => {
      await Promise.all([...links.values()].map((link) => link.close()));
    },
  };
};
