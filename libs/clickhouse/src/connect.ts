import http from 'node:http';
import https from 'node:https';
import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import { cloud, clusterSettings } from './cluster-settings.js';

export interface ClickHouseOptions {
  /** `http://host:port` */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Must exist. Default `default`. */
  readonly database?: string;
  /** The cluster of the tables, or `cloud`. Default: one server. */
  readonly cluster?: string | undefined;
  /** Time limit of a complete answer (`rows`, `bytes`, `insertBytes`), in the client and the server. Default 30,000. */
  readonly requestTimeoutMs?: number;
  /** Maximum concurrent requests. Further ones wait in this process. Default 32. */
  readonly socketsMax?: number;
  /** Shown in the server's query log. */
  readonly application?: string;
}

/**
 * A client for one address and one user. Safe to share. It never retries what may have run: only the caller knows what
 * may run twice.
 */
export interface ClickHouse {
  readonly client: ClickHouseClient;
  readonly requestTimeoutMs: number;
  readonly database: string;
  /** Where schema changes run `ON CLUSTER`. Undefined for one server and for ClickHouse Cloud. */
  readonly cluster: string | undefined;
  /** Answers come from any of several servers. */
  readonly isReplicated: boolean;
  /** Throws the reason if the server does not answer or rejects the credentials. */
  ping(): Promise<void>;
  /** Whole seconds since the server started. Throws if it does not answer. */
  uptimeS(): Promise<number>;
  close(): Promise<void>;
}

const uptimeRows = z.tuple([z.object({ uptime_s: z.int() })]);

/** Below every server's own keep-alive (10 s and more), so that no request uses a socket that is closing. */
const idleMs = 2_500;

/**
 * Closes idle sockets itself. The client has a timer for each socket, which it forgets when a request that waited for the
 * socket was aborted. Such a timer later closes the socket of another request.
 */
const agentFor = (url: string, maxSockets: number): http.Agent | https.Agent => {
  const options = { keepAlive: true, maxSockets, timeout: idleMs };
  return url.startsWith('https:') ? new https.Agent(options) : new http.Agent(options);
};

export const connectClickHouse = (options: ClickHouseOptions): ClickHouse => {
  const { requestTimeoutMs = 30_000, socketsMax = 32, database = 'default', cluster } = options;
  const client = createClient({
    url: options.url,
    username: options.username,
    password: options.password,
    database,
    application: options.application ?? 'almanac',
    request_timeout: requestTimeoutMs,
    // Every failure reaches the caller as an error. The client's own log lines are no JSON and contain settings.
    log: { level: ClickHouseLogLevel.OFF },
    http_agent: agentFor(options.url, socketsMax),
    keep_alive: { enabled: true, idle_socket_ttl: 0 },
    clickhouse_settings: {
      // An insert returns when its rows can be queried, and a deduplicated batch never counts as stored.
      async_insert: 0,
      // Prints 0.51, not 0.510000. A DateTime64 in a bound parameter may be an ISO time.
      output_format_decimal_trailing_zeros: 0,
      date_time_input_format: 'best_effort',
      // `toDecimal64(ts, 6) AS ts` must not change the meaning of `ts` in WHERE.
      prefer_column_name_to_alias: 1,
      // No table has the same key in two partitions.
      do_not_merge_across_partitions_select_final: 1,
      ...clusterSettings(cluster, requestTimeoutMs),
    },
  });
  return {
    client,
    requestTimeoutMs,
    database,
    cluster: cluster === cloud ? undefined : cluster,
    isReplicated: cluster !== undefined,
    ping: async () => {
      const result = await client.ping({ select: true });
      if (!result.success) throw result.error;
    },
    uptimeS: async () => {
      const answer = await client.query({ query: 'SELECT toUInt32(uptime()) AS uptime_s', format: 'JSONEachRow' });
      const [row] = uptimeRows.parse(await answer.json());
      return row.uptime_s;
    },
    close: () => client.close(),
  };
};
