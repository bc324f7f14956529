import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';

export interface ClickHouseOptions {
  /** `http://host:port` */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Must exist. Default `default`. */
  readonly database?: string;
  /** How long a whole answer (`rows`, `bytes`, `insertBytes`) may take, on both sides of the wire. Default 30,000. */
  readonly requestTimeoutMs?: number;
  /** Requests at once; more wait in this process. Default 32. */
  readonly socketsMax?: number;
  /** Stands in the server's query log. */
  readonly application?: string;
}

/** One server as one user. Safe to share; nothing is retried here, a caller knows best what may be done twice. */
export interface ClickHouse {
  readonly client: ClickHouseClient;
  readonly requestTimeoutMs: number;
  readonly database: string;
  /** Throws with the reason when the server does not answer or refuses the credentials. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export const connectClickHouse = (options: ClickHouseOptions): ClickHouse => {
  const { requestTimeoutMs = 30_000, socketsMax = 32, database = 'default' } = options;
  const client = createClient({
    url: options.url,
    username: options.username,
    password: options.password,
    database,
    application: options.application ?? 'almanac',
    request_timeout: requestTimeoutMs,
    max_open_connections: socketsMax,
    // Every failure reaches the caller as an error; the client's own lines are no JSON and hold settings.
    log: { level: ClickHouseLogLevel.OFF },
    // Below every server's own keep-alive (10 s and more), so that no request meets a socket being closed.
    keep_alive: { enabled: true, idle_socket_ttl: 2_500, eagerly_destroy_stale_sockets: true },
    clickhouse_settings: {
      // A batch is answered when it can be queried, and a deduplicated one is never taken for stored.
      async_insert: 0,
      // 0.51, not 0.510000; and a DateTime64 in a bound parameter may be an ISO time.
      output_format_decimal_trailing_zeros: 0,
      date_time_input_format: 'best_effort',
      // `toDecimal64(ts, 6) AS ts` must not change what `ts` means in WHERE.
      prefer_column_name_to_alias: 1,
      // No key is in two partitions of any of our tables.
      do_not_merge_across_partitions_select_final: 1,
    },
  });
  return {
    client,
    requestTimeoutMs,
    database,
    ping: async () => {
      const result = await client.ping({ select: true });
      if (!result.success) throw result.error;
    },
    close: () => client.close(),
  };
};
