import type { ClickHouseSettings } from '@clickhouse/client';

/**
 * `CLICKHOUSE_CLUSTER` of ClickHouse Cloud. There every engine is shared by all servers without being named so, schema
 * changes reach all of them, and there are no shards.
 */
export const cloud = 'cloud';

/**
 * Settings of every query on a cluster. Without them, a read on a
 * replica that lags would lack rows that an insert was acknowledged for.
 */
export const clusterSettings = (cluster: string | undefined, requestTimeoutMs: number): ClickHouseSettings => {
  if (cluster === undefined) return {};
  // A read sees every acknowledged insert, or fails. Cloud acknowledges no insert before it is in the shared store.
  if (cluster === cloud) return { select_sequential_consistency: '1' };
  return {
    select_sequential_consistency: '1',
    // An insert is acknowledged by a majority of the replicas. In parallel, no replica would need to have all of them.
    insert_quorum: 'auto',
    insert_quorum_parallel: 0,
    insert_quorum_timeout: requestTimeoutMs,
    // An insert returns when its rows are in the shards, and not in a queue on the server that got it.
    distributed_foreground_insert: 1,
    parallel_distributed_insert_select: '0',
    // A query for markets goes only to their shards. A missing shard is an error, never a shorter answer.
    optimize_skip_unused_shards: 1,
    skip_unavailable_shards: 0,
    // All rows of a market are on one shard, so a subquery for the same markets needs no other one.
    distributed_product_mode: 'local',
  };
};
