import { randomUUID } from 'node:crypto';
import { type Bus, type RpcClient, type RpcContext, subjects } from '@almanac/bus';
import {
  catalogRpc,
  commerceRpc,
  type ExportQuery,
  type exportRpc,
  exportState,
  type ExportState,
  type ExportResponse,
  presentExport,
  type RecordedExport,
} from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import { idempotencyKeyTtlUs, resolveIdempotencyKey, type IdempotencyMatch, uuidV5 } from '@almanac/runtime';
import type { z } from 'zod';
import { fileKeyOf, marketVersions } from '../files/file-key.js';
import { exportDecider, requireSameQuery } from './export.decider.js';
import { filenameOf } from './filename.js';
import { targetOf } from './target.js';

export interface CreateExportDeps {
  readonly bus: Bus;
  readonly store: EventStore;
  readonly rpc: RpcClient;
}

type CreateExportInput = z.output<typeof exportRpc.create.input>;

/**
 * Records an export and returns it as pending, whatever happened to it since. The order matters: check the target;
 * answer a repeated Idempotency-Key like the first request; resolve the target; reserve a grant. The reservation comes
 * before the record. If this process dies between the two, the sweep releases the reservation.
 */
export const createExport = async (
  deps: CreateExportDeps,
  input: CreateExportInput,
  context: RpcContext,
): Promise<ExportResponse> => {
  const { store, rpc } = deps;
  const account = context.caller;
  const target = targetOf(input);
  const streams = [...new Set(input.streams)];
  const { id, existing } = await exportOfKey(store, account, input.idempotency_key);
  if (existing !== undefined) {
    requireSameQuery(existing, { ...target, streams, format: input.format, numbers: input.numbers });
    return asPending(existing);
  }
  const subject = subjects.export(account, id);
  const { events, tickers, ...resolved } = await rpc.call(catalogRpc.exportTarget, {
    input: target,
    context: context.forwardedContext,
  });
  const exportQuery: ExportQuery = { ...resolved, streams, format: input.format, numbers: input.numbers };
  const claim = { export_id: id, events, day_pack: target.day !== null, l2: streams.includes('l2') };
  const { grant } = await rpc.call(commerceRpc.reserve, { input: claim, context: context.forwardedContext });
  const nowUs = Date.now() * 1_000;
  const withStatus = streams.includes('settlement');
  const versions = await marketVersions(deps.bus, tickers, { nowUs, withStatus });
  const outcome = await execute(store, exportDecider(account, id), {
    subject,
    command: {
      type: 'request',
      request: {
        question: exportQuery,
        grant,
        file_key: fileKeyOf(exportQuery, versions),
        filename: filenameOf(exportQuery),
        requested_us: nowUs,
      },
    },
    id: randomUUID(),
    // A random id is new. An id from an Idempotency-Key can be requested twice at once, so its state must be loaded.
    ...(input.idempotency_key ? {} : { cachedState: null }),
    account,
    time: nowUs,
    timeoutMs: context.remainingMs,
  });
  if (outcome === undefined) throw new Error('a request left no export');
  requireSameQuery(outcome.state, exportQuery);
  return asPending(outcome.state);
};

/**
 * The id for a request under a key, and the export recorded under it within the last 24 hours. An abandoned export does
 * not count: its reservation was released, and the client may use the key again.
 */
const exportOfKey = async (
  store: EventStore,
  account: string,
  key: string | null | undefined,
): Promise<IdempotencyMatch<ExportState>> => {
  if (!key) return { id: randomUUID(), existing: undefined };
  const freeBeforeUs = Date.now() * 1_000 - idempotencyKeyTtlUs;
  return resolveIdempotencyKey(
    { first: uuidV5(`${account}\n${key}`), after: (id) => uuidV5(`${account}\nafter ${id}`) },
    async (id) => (await store.load(subjects.export(account, id), exportState))?.state,
    (state) => state.status !== 'abandoned' && state.requested_us > freeBeforeUs,
  );
};

/** A POST returns the export as it was at the request: pending, without a file. */
const asPending = ({
  id,
  account,
  question,
  grant,
  file_key,
  filename,
  requested_us,
}: RecordedExport): ExportResponse =>
  presentExport({ status: 'pending', id, account, question, grant, file_key, filename, requested_us });
