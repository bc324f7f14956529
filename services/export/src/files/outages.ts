import { setTimeout as delay } from 'node:timers/promises';
import { retryMs } from '@almanac/bus';
import type { ClickHouse } from '@almanac/clickhouse';
import type { Logger } from '@almanac/runtime';
import { isOutage, isTimeout } from './classify-errors.js';
import type { FileMetrics } from './metrics.js';

/** A query that never finishes in time looks like an overloaded server. With the pauses, five tries take minutes. */
const timeoutsMax = 5;

export interface OutageOptions {
  readonly clickhouse: Pick<ClickHouse, 'uptimeS'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly metrics: Pick<FileMetrics, 'attempts'>;
  /** Milliseconds before the next try. Default: growing, up to 15 s. */
  readonly pauseMs?: (outages: number) => number;
}

/**
 * Waits out every outage of a store. Throws any other error, the last of five consecutive timeouts of ClickHouse, and
 * the signal's reason.
 */
export const retryDuringOutages = async <T>(
  { clickhouse, log, metrics, pauseMs = retryMs }: OutageOptions,
  { key, signal }: { key: string; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> => {
  let timeouts = 0;
  for (let outages = 1; ; outages += 1) {
    const startedAt = performance.now();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      timeouts = isTimeout(error) ? timeouts + 1 : 0;
      const failed = { error, lastedMs: performance.now() - startedAt };
      if (timeouts >= timeoutsMax || !(await isOutage(failed, clickhouse))) throw error;
      const waitMs = pauseMs(outages);
      metrics.attempts.inc({ outcome: 'waited' });
      log.warn({ err: error, key, outages, waitMs }, 'a store is unavailable; the file waits');
      await delay(waitMs, undefined, { signal });
    }
  }
};
