import {
  DomainError,
  type ExportQuery,
  exportState,
  type ExportState,
  type StoredFile,
  notFound,
  type RecordedExport,
} from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';
import type { ExportRequest } from './resolve-request.js';
import { targetOfQuery } from '../files/target.js';

export type Request = Pick<
  RecordedExport,
  'query' | 'grant' | 'file_key' | 'filename' | 'requested_us' | 'remarks' | 'group' | 'markets' | 'dataset'
>;
type Ready = StoredFile & { readonly ready_us: number };

export type ExportCommand =
  | { readonly type: 'request'; readonly request: Request }
  | { readonly type: 'complete'; readonly ready: Ready }
  | { readonly type: 'fail'; readonly error: string }
  | { readonly type: 'cancel' };

export type ExportEvent =
  | { readonly type: 'ExportRequested'; readonly data: Request }
  | { readonly type: 'ExportReady'; readonly data: Ready }
  | { readonly type: 'ExportFailed'; readonly data: { readonly error: string } }
  | { readonly type: 'ExportCancelled'; readonly data: Readonly<Record<string, never>> };

/**
 * One export of one account. It is requested once and ends once: with its file, or by a cancel of its account. A ready
 * export gets another `ExportReady` only when a new file replaces one that vanished.
 */
export const exportDecider = (account: string, id: string): Decider<ExportState, ExportCommand, ExportEvent> => ({
  state: exportState,
  decide: (command, state) => {
    if (command.type === 'request') {
      if (state === undefined) return { type: 'ExportRequested', data: command.request };
      requireSameQuery(state, command.request.query);
      return null;
    }
    if (command.type === 'cancel') return cancel(state, id);
    if (state?.status === 'ready' && command.type === 'complete') return replace(state, command.ready);
    if (state?.status !== 'pending') return null;
    if (command.type === 'fail') return { type: 'ExportFailed', data: { error: command.error } };
    return hasPromisedBytes(state, command.ready)
      ? { type: 'ExportReady', data: command.ready }
      : { type: 'ExportFailed', data: { error: otherBytes } };
  },
  evolve: (state, domainEvent) => {
    if (domainEvent.type === 'ExportRequested') return { status: 'pending', id, account, ...domainEvent.data };
    if (state?.status === 'ready' && domainEvent.type === 'ExportReady') {
      const { ready_us, ...file } = domainEvent.data;
      return { ...state, file, ready_us };
    }
    if (state?.status !== 'pending') throw new Error(`${domainEvent.type} of an export that is not pending`);
    if (domainEvent.type === 'ExportCancelled') return { ...state, status: 'cancelled' };
    if (domainEvent.type === 'ExportFailed') return { ...state, status: 'failed', error: domainEvent.data.error };
    const { ready_us, ...file } = domainEvent.data;
    return { ...state, status: 'ready', file, ready_us };
  },
});

/** An export of a dataset is ready only with the bytes of the dataset. */
const hasPromisedBytes = ({ dataset }: RecordedExport, { sha256 }: StoredFile): boolean =>
  dataset === undefined || dataset.sha256 === sha256;

const otherBytes =
  'The file was made again, but not with the same bytes as the dataset. You were not charged. Export the target itself to get the current data.';

/** `ready_us` does not change when a new file replaces a vanished one. */
const replace = (state: Extract<ExportState, { status: 'ready' }>, ready: Ready): ExportEvent | null =>
  ready.storage_key === state.file.storage_key || !hasPromisedBytes(state, ready)
    ? null
    : { type: 'ExportReady', data: { ...ready, ready_us: state.ready_us } };

/** Does nothing on a repetition. Throws `export_not_found`, or `export_ended` if the export is ready or has failed. */
const cancel = (state: ExportState | undefined, id: string): ExportEvent | null => {
  switch (state?.status) {
    case 'pending':
      return { type: 'ExportCancelled', data: {} };
    case 'cancelled':
      return null;
    case 'ready':
      throw new DomainError('export_ended', 'This export is already ready. You can cancel only a pending export.');
    case 'failed':
      throw new DomainError(
        'export_ended',
        'This export has already failed, and you were not charged. You can cancel only a pending export.',
      );
    case 'abandoned':
    case undefined:
      throw notFound('export_not_found', id);
  }
};

/** Throws unless the export with this id has the same target and format, and the same streams in any order. */
function requireSameQuery(state: ExportState, requestedQuery: ExportQuery): asserts state is RecordedExport {
  requireRecorded(state);
  if (fingerprint(state.query) !== fingerprint(requestedQuery)) throw otherRequest();
}

/** The same for the request that created this export, alone or as the first of several. */
export function requireSameRequest(
  state: ExportState,
  { target, split, dataset, ...options }: ExportRequest,
): asserts state is RecordedExport {
  requireRecorded(state);
  const { group, query } = state;
  if (split !== (group !== undefined) || state.dataset?.id !== dataset?.state.id) throw otherRequest();
  const known = group === undefined ? query : { ...query, ...daysTarget(group) };
  const requested = split ? { ...target, ...daysTarget(target) } : target;
  if (fingerprint(known) !== fingerprint({ ...requested, ...options })) throw otherRequest();
}

const daysTarget = ({
  day,
  from,
  to,
}: {
  day?: string | null;
  from?: string | undefined;
  to?: string | undefined;
}) => ({
  day: null,
  from: from ?? day ?? undefined,
  to: to ?? day ?? undefined,
});

function requireRecorded(state: ExportState): asserts state is RecordedExport {
  if (state.status === 'abandoned') {
    throw new DomainError(
      'conflict',
      'The first request with this Idempotency-Key took too long and was stopped. Send the request again.',
    );
  }
}

const otherRequest = (): DomainError =>
  new DomainError(
    'idempotency_conflict',
    'This Idempotency-Key belongs to a different export. Send a new key for a new export.',
  );

const fingerprint = (exportQuery: ExportQuery): string => {
  const { streams, format, numbers, csv_formulas, as_of } = exportQuery;
  return JSON.stringify([targetOfQuery(exportQuery), streams.toSorted(), format, numbers, csv_formulas, as_of]);
};
