import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RpcClient } from '@almanac/bus';
import { type CallContext, catalogRpc, DomainError, timeseriesRpc } from '@almanac/contracts';
import type { Archive } from './archive.js';
import { ArchiveError } from './errors.js';

/** Some 25 s of waiting beside the calls' own deadlines: longer than a killed service takes to come back. */
const attemptsMax = 9;
const firstPauseMs = 250;
const pauseMsMax = 5_000;

/** The running system, reached over the bus. Both calls are idempotent, so one without an answer is made again. */
export const busArchive = (rpc: RpcClient): Archive => {
  let lastSeq = 0;
  return {
    recordCatalogue: async (facts) => {
      const input = { facts: [...facts] };
      const reply = await insisting(() => rpc.call(catalogRpc.record, { input, context: newContext() }));
      lastSeq = Math.max(lastSeq, reply.last_seq);
      return reply.outcomes;
    },
    storeObservations: async ({ markets, body, rows }) => {
      const input = { markets: [...markets] };
      const reply = await insisting(() => rpc.call(timeseriesRpc.store, { input, body, context: newContext() }));
      if (reply.rows !== rows)
        throw new ArchiveError(`the archive stored ${reply.rows} rows of a batch of ${rows}; import the file again`);
    },
    settled: async () => {
      if (lastSeq === 0) return;
      await insisting(() => rpc.call(catalogRpc.awaitReadable, { input: { seq: lastSeq }, context: newContext() }));
    },
  };
};

const newContext = (): CallContext => ({ requestId: `import-${randomUUID()}` });

const insisting = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const passing = error instanceof DomainError && (error.code === 'unavailable' || error.code === 'conflict');
      if (!passing || attempt >= attemptsMax) throw refusal(error);
      const pauseMs = Math.min(pauseMsMax, firstPauseMs * 2 ** (attempt - 1));
      await pause(pauseMs * (0.5 + Math.random() / 2));
    }
  }
};

const refusal = (cause: unknown): ArchiveError => {
  const why = cause instanceof DomainError ? cause.detail : cause instanceof Error ? cause.message : String(cause);
  return new ArchiveError(
    `the archive did not take a batch: ${why} What was stored before is whole; import the file again, nothing is stored twice.`,
    { cause },
  );
};
