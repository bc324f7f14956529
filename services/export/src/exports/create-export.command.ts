import { randomUUID } from 'node:crypto';
import { type Bus, type RpcClient, subjects } from '@almanac/bus';
import { type RpcContext } from '@almanac/bus/server';
import {
  commerceRpc,
  type ExportGroup,
  type ExportQuery,
  type exportRpc,
  exportState,
  type ExportState,
  type ExportResponse,
  presentExport,
} from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import {
  exportIdAfter,
  exportIdOfKey,
  idempotencyKeyTtlUs,
  type IdempotencyMatch,
  resolveIdempotencyKey,
  unixMicros,
} from '@almanac/runtime';
import type { z } from 'zod';
import type { Dataset } from '../datasets/datasets.js';
import { reproduceDataset, type ReproduceDatasetDeps, restoreLost } from '../datasets/reproduce-dataset.js';
import { fileKeyOf, marketVersions, showsStatus } from '../files/file-key.js';
import { packTickers } from '../files/manifest.js';
import { exportDecider, type Request, requireSameRequest } from './export.decider.js';
import { pendingExportsOf, recordOtherExports } from './export-group.js';
import { filenameOf } from '../files/filename.js';
import { type ExportRequest, queryOfPart, requestOf, type ResolvedRequest, resolveRequest } from './resolve-request.js';
import { windowOf } from '../files/target.js';

export interface CreateExportDeps extends ReproduceDatasetDeps {
  readonly rpc: RpcClient;
}

type CreateExportInput = z.output<typeof exportRpc.create.input>;

/**
 * Records the exports of a request and returns them as pending, whatever happened to them since. The order matters:
 * check the target; answer a repeated Idempotency-Key like the first request; resolve the target; check that a dataset
 * can be made again; reserve a grant. The reservation comes before the record. If this process dies between the two, the
 * sweep releases the reservation.
 *
 * A split request has several exports, which one event records: the first export names the others, and they are
 * recorded after it.
 */
export const createExport = async (
  deps: CreateExportDeps,
  input: CreateExportInput,
  context: RpcContext,
): Promise<ExportResponse | ExportGroup> => {
  const { caller: account } = context;
  const request = await requestOf(deps.store, input);
  const { id, existing } = await exportOfKey(deps.store, account, input.idempotency_key);
  if (existing !== undefined) return presented(existing, request);
  try {
    return await recordExport(deps, { id, input, request }, context);
  } catch (error) {
    if (!input.idempotency_key) throw error;
    // A concurrent request with this key can be recorded by now. It decides the answer: its export may have used the
    // credit that this request lacked, and its reservation is closed once the export is ready.
    const { existing: recorded } = await exportOfKey(deps.store, account, input.idempotency_key);
    if (recorded === undefined) throw error;
    return presented(recorded, request);
  }
};

interface NewRequest {
  readonly id: string;
  readonly input: CreateExportInput;
  readonly request: ExportRequest;
}

const recordExport = async (
  deps: CreateExportDeps,
  { id, input, request }: NewRequest,
  context: RpcContext,
): Promise<ExportResponse | ExportGroup> => {
  const { bus, store, rpc } = deps;
  const { caller: account } = context;
  const { dataset } = request;
  const resolved = await resolveRequest(rpc, request, context);
  const again = dataset && (await reproduceDataset(deps, dataset, resolved.tickers));
  const claim = { ...resolved.claim, export_id: id, use_free_credit: input.use_free_credit };
  const reserved = await rpc.call(commerceRpc.reserve, { input: claim, context: context.forwardedContext });
  if (dataset && again) await restoreLost(store, dataset, again);
  const nowUs = unixMicros();
  const recorded = { requested_us: nowUs, remarks: [...reserved.remarks, ...resolved.remarks] };
  const outcome = await execute(store, exportDecider(account, id), {
    subject: subjects.export(account, id),
    command: {
      type: 'request',
      request: request.split
        ? { ...(await firstOfGroup(bus, { id, request, resolved, nowUs }, reserved)), ...recorded }
        : {
            ...(dataset
              ? await exportOfDataset(resolved.exportQuery, dataset)
              : await exportOf(bus, resolved.exportQuery, resolved.tickers, nowUs)),
            ...recorded,
            grant: reserved.grant,
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
  const answer = presented(outcome.state, request);
  // If this process dies here, the reactor of new exports records the others.
  await recordOtherExports(store, outcome.state);
  return answer;
};

type Reserved = z.output<typeof commerceRpc.reserve.output>;

type NewExport = Pick<Request, 'query' | 'file_key' | 'filename' | 'markets' | 'dataset'>;

const exportOf = async (
  bus: Bus,
  query: ExportQuery,
  tickers: readonly string[],
  nowUs: number,
): Promise<NewExport> => {
  const versions = await marketVersions(bus, tickers, { nowUs, withStatus: showsStatus(query) });
  const created = { query, file_key: fileKeyOf(query, versions), filename: filenameOf(query) };
  // Days can get other markets later, with events that nobody paid for.
  return windowOf(query) === null ? created : { ...created, markets: await packTickers(tickers) };
};

/** The export gets the file of the dataset, or one that is made like it. */
const exportOfDataset = async (query: ExportQuery, { state, manifest }: Dataset): Promise<NewExport> => {
  const { id, sha256, requested_us, file_key } = state;
  const created = { query, file_key, filename: filenameOf(query), dataset: { id, sha256, requested_us } };
  if (windowOf(query) === null) return created;
  return { ...created, markets: await packTickers(manifest.markets.map(({ ticker }) => ticker)) };
};

interface NewGroup {
  readonly id: string;
  readonly request: ExportRequest;
  readonly resolved: ResolvedRequest;
  readonly nowUs: number;
}

/** The first export of a split request, which names the others. */
const firstOfGroup = async (
  bus: Bus,
  { id, request: { target }, resolved: { exportQuery, parts }, nowUs }: NewGroup,
  { grant, parts: grants }: Reserved,
): Promise<NewExport & Pick<Request, 'grant' | 'group'>> => {
  const all: NewExport[] = [];
  for (const part of parts.filter(({ has_rows }) => has_rows)) {
    all.push(await exportOf(bus, queryOfPart(exportQuery, part), part.tickers, nowUs));
  }
  const [first, ...others] = all.map((one, part) => ({ ...one, grant: grants[part] ?? grant }));
  if (first === undefined) throw new Error('a split request has no day with rows');
  const [from, to] = [target.from ?? target.day ?? '', target.to ?? target.day ?? ''];
  const named = others.map(({ query, ...one }) => ({ ...one, day: query.day ?? '' }));
  return { ...first, group: { id, part: 0, from, to, others: named } };
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
  const freeBeforeUs = unixMicros() - idempotencyKeyTtlUs;
  return resolveIdempotencyKey(
    { first: exportIdOfKey(account, key), after: (id) => exportIdAfter(account, id) },
    async (id) => (await store.load(subjects.export(account, id), exportState))?.state,
    (state) => state.status !== 'abandoned' && state.requested_us > freeBeforeUs,
  );
};

/** A POST returns exports as they were at the request: pending, without a file. */
const presented = (state: ExportState, request: ExportRequest): ExportResponse | ExportGroup => {
  requireSameRequest(state, request);
  const exports = pendingExportsOf(state).map((pending) => presentExport(pending));
  const [first] = exports;
  if (first === undefined) throw new Error('a request left no export');
  if (state.group === undefined) return first;
  return { group: state.group.id, count: exports.length, exports, remarks: first.remarks };
};
