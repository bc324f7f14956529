import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RpcClient } from '@almanac/bus';
import {
  type CallContext,
  catalogRpc,
  DomainError,
  operatorSentence,
  stagedTableOf,
  type StagingMissing,
  timeseriesRpc,
} from '@almanac/contracts';
import { backoffMs } from '@almanac/runtime';
import type { Archive, Staging } from './archive.js';
import { ArchiveError, sentenceOf } from './errors.js';

const attemptsMax = 9;
const firstPauseMs = 250;
const pauseMsMax = 5_000;
const retryTimeoutMs = 60_000;
/** Half of `retryTimeoutMs`, so that a call that died with its service is repeated once. */
const attemptMsMax = 30_000;
/** A shorter attempt would only hide why the previous one failed. */
const attemptMsMin = 500;
const reportEveryMs = 5_000;

export interface BusArchiveOptions {
  /** Called at the first retry, and every `reportEveryMs` while a call waits. */
  readonly onWaiting?: (sentence: string) => void;
  /** Default 5 s. */
  readonly reportEveryMs?: number;
  /** Limit for one call with all attempts and pauses. Default 60 s. */
  readonly retryTimeoutMs?: number;
}

/** The archive of the running system. All calls are idempotent, so a call without an answer is repeated. */
export const busArchive = (rpc: RpcClient, options: BusArchiveOptions = {}): Archive => {
  let lastSeq = 0;
  let missing: StagingMissing | null = null;
  const retry = createRetry(options);
  return {
    recordCatalogue: async (facts) => {
      const input = { facts: [...facts] };
      const reply = await retry((context) => rpc.call(catalogRpc.record, { input, context }));
      lastSeq = Math.max(lastSeq, reply.last_seq);
      return reply.outcomes;
    },
    storeObservations: async ({ columns, markets, body, rows }) => {
      const input = { columns, markets: [...markets] };
      const reply = await retry((context) => rpc.call(timeseriesRpc.store, { input, body, context }));
      if (reply.rows !== rows)
        throw new ArchiveError(
          `The archive stored ${reply.rows} of the ${rows} rows of a batch. Import the file again.`,
        );
    },
    openStaging: async (kind) => {
      if (missing !== null) return missing;
      const table = kind === 'trades' ? 'trades' : 'snapshots';
      const found = await retry((context) => rpc.call(timeseriesRpc.openStaging, { input: { table }, context }));
      // A service of an earlier release has staging tables of quotes only.
      if (found.staging !== null && table !== stagedTableOf(found.staging)) return 'cluster';
      if (found.staging !== null && kind === 'books' && !found.has_books) return 'cluster';
      if (found.staging !== null) return busStaging(rpc, retry, { staging: found.staging, hasZstd: found.has_zstd });
      return (missing = found.missing ?? 'cluster');
    },
    storeSpans: async (spans) => {
      const input = { markets: [], spans: [...spans] };
      await retry((context) => rpc.call(timeseriesRpc.store, { input, context }));
    },
    marketsOf: async (ids) => {
      const input = { ids: [...ids] };
      const reply = await retry((context) => rpc.call(catalogRpc.marketsByFeedIds, { input, context }));
      return reply.markets.map(({ ticker, ids: named }) => ({ ticker, ...named }));
    },
    valuesOfParents: (input) => retry((context) => rpc.call(catalogRpc.valuesOfParents, { input, context })),
    coins: {
      known: async () => (await retry((context) => rpc.call(timeseriesRpc.coins, { input: {}, context }))).coins,
      join: (input) => retry((context) => rpc.call(timeseriesRpc.joinCoinPrices, { input, context })),
      moments: (input) => retry((context) => rpc.call(catalogRpc.coinMoments, { input, context })),
    },
    settled: async () => {
      if (lastSeq === 0) return;
      const input = { seq: lastSeq };
      await retry((context) => rpc.call(catalogRpc.awaitReadable, { input, context }));
    },
  };
};

/** Why the archive has no staging tables. Null: it has some, or nobody knows. */
export const missingStaging = async (rpc: RpcClient): Promise<StagingMissing | null> => {
  const context = { requestId: `import-${randomUUID()}`, timeoutMs: 5_000 };
  const found = await rpc.call(timeseriesRpc.openStaging, { input: { check: true }, context }).catch(() => null);
  return found?.missing ?? null;
};

const busStaging = (
  rpc: RpcClient,
  retry: Retry,
  { staging, hasZstd }: { readonly staging: string; readonly hasZstd: boolean },
): Staging => ({
  hasZstd,
  store: async ({ columns, body, rows, coding }) => {
    if (columns === 'candles' || columns === 'coins') throw new Error(`${columns} have no staging table`);
    const input = { staging, columns, rows, coding };
    await retry((context) => rpc.call(timeseriesRpc.storeStaged, { input, body, context }), storedOfStaging);
  },
  publish: async () =>
    void (await retry(
      (context) => rpc.call(timeseriesRpc.publishStaging, { input: { staging }, context }),
      storedOfStaging,
    )),
});

type Retry = <T>(call: (context: CallContext) => Promise<T>, stored?: string) => Promise<T>;

const storedBatches = 'Earlier batches are stored.';
const storedOfStaging = 'Its rows since the last move are not stored.';

/** Concurrent batches wait for the same outage, so all calls share one report timer. */
const createRetry = ({ onWaiting, ...limits }: BusArchiveOptions): Retry => {
  const { retryTimeoutMs: retryTimeout, reportEveryMs: reportMs } = { retryTimeoutMs, reportEveryMs, ...limits };
  let reportedAt = -Infinity;
  const report = (why: string, attempt: number): void => {
    if (performance.now() - reportedAt < reportMs * 0.9) return;
    reportedAt = performance.now();
    onWaiting?.(`Waiting for the archive: ${why} (attempt ${attempt} of ${attemptsMax})`);
  };
  return async (call, stored = storedBatches) => {
    const until = performance.now() + retryTimeout;
    let why = 'It has not responded yet.';
    let attempt = 1;
    const reportTimer = setInterval(() => report(why, attempt), reportMs);
    try {
      for (;;) {
        try {
          return await call(contextUntil(until));
        } catch (error) {
          const pauseMs = backoffMs(attempt - 1, { firstMs: firstPauseMs, mostMs: pauseMsMax });
          const inTime = performance.now() + pauseMs + attemptMsMin < until;
          if (!isTransient(error) || attempt >= attemptsMax || !inTime) throw refusal(error, stored);
          attempt += 1;
          why = operatorSentence(error);
          report(why, attempt);
          await pause(pauseMs);
        }
      }
    } finally {
      clearInterval(reportTimer);
    }
  };
};

const contextUntil = (until: number): CallContext => ({
  requestId: `import-${randomUUID()}`,
  timeoutMs: Math.min(attemptMsMax, until - performance.now()),
});

const isTransient = (error: unknown): error is DomainError =>
  error instanceof DomainError && (error.code === 'unavailable' || error.code === 'conflict');

const refusal = (cause: unknown, stored: string): ArchiveError => {
  const why = cause instanceof DomainError ? operatorSentence(cause) : sentenceOf(cause);
  return new ArchiveError(
    `The archive did not store a batch: ${why} ${stored} Import the file again: no row is stored twice.`,
    { cause },
  );
};
