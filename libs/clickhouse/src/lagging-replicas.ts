import { setTimeout as delay } from 'node:timers/promises';
import { withJitter } from '@almanac/runtime';
import { ClickHouseError } from '@clickhouse/client';
import type { ClickHouse } from './connect.js';

/**
 * UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE: another insert into the table is in progress. REPLICA_IS_NOT_IN_QUORUM: this
 * replica does not have all acknowledged rows yet. The server checks both first, so nothing was written or read.
 */
const lagging = new Set(['286', '289']);

/** Longer than a replica usually lags, and shorter than a client waits. After it, the caller reports an outage. */
const waitMsMax = 5_000;
const firstPauseMs = 10;
const pauseMsMax = 400;

/** Runs an attempt again while it meets a replica that lags. The next one may reach another replica. */
export const whileReplicasLag = async <T>(
  { isReplicated }: Pick<ClickHouse, 'isReplicated'>,
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> => {
  if (!isReplicated) return attempt();
  const deadline = performance.now() + waitMsMax;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    try {
      return await attempt();
    } catch (error) {
      const mayPass = error instanceof ClickHouseError && lagging.has(error.code) && performance.now() < deadline;
      if (!mayPass) throw error;
      await delay(withJitter(pauseMs), undefined, { signal });
    }
  }
};
