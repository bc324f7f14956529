import {
  DomainError,
  type ExportQuestion,
  exportState,
  type ExportState,
  type FileFacts,
  type Grant,
  noSuch,
  type RecordedExport,
} from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';
import { targetOfQuestion } from './target.js';

interface Request {
  readonly question: ExportQuestion;
  readonly grant: Grant;
  readonly file_key: string;
  readonly filename: string;
  readonly requested_us: number;
}
type Ready = FileFacts & { readonly ready_us: number };

export type ExportCommand =
  | { readonly type: 'request'; readonly request: Request }
  | { readonly type: 'complete'; readonly ready: Ready }
  | { readonly type: 'fail'; readonly error: string }
  | { readonly type: 'cancel' };

export type ExportFact =
  | { readonly type: 'ExportRequested'; readonly data: Request }
  | { readonly type: 'ExportReady'; readonly data: Ready }
  | { readonly type: 'ExportFailed'; readonly data: { readonly error: string } }
  | { readonly type: 'ExportCancelled'; readonly data: Readonly<Record<string, never>> };

/**
 * One export of one account: asked once, and ended once, by what became of its file or by who asked for it. A ready one
 * is told again only of another file in place of one that vanished.
 */
export const exportDecider = (account: string, id: string): Decider<ExportState, ExportCommand, ExportFact> => ({
  state: exportState,
  decide: (command, state) => {
    if (command.type === 'request') {
      if (state === undefined) return { type: 'ExportRequested', data: command.request };
      requireSameQuestion(state, command.request.question);
      return null;
    }
    if (command.type === 'cancel') return cancel(state, id);
    if (state?.status === 'ready' && command.type === 'complete') return replace(state, command.ready);
    if (state?.status !== 'pending') return null;
    return command.type === 'complete'
      ? { type: 'ExportReady', data: command.ready }
      : { type: 'ExportFailed', data: { error: command.error } };
  },
  evolve: (state, fact) => {
    if (fact.type === 'ExportRequested') return { status: 'pending', id, account, ...fact.data };
    if (state?.status === 'ready' && fact.type === 'ExportReady') {
      const { ready_us, ...file } = fact.data;
      return { ...state, file, ready_us };
    }
    if (state?.status !== 'pending') throw new Error(`${fact.type} of an export that is not pending`);
    if (fact.type === 'ExportCancelled') return { ...state, status: 'cancelled' };
    if (fact.type === 'ExportFailed') return { ...state, status: 'failed', error: fact.data.error };
    const { ready_us, ...file } = fact.data;
    return { ...state, status: 'ready', file, ready_us };
  },
});

/** A ready export stays ready since when it was, whatever happens to its file: one that vanished is another one now. */
const replace = (state: Extract<ExportState, { status: 'ready' }>, ready: Ready): ExportFact | null =>
  ready.storage_key === state.file.storage_key
    ? null
    : { type: 'ExportReady', data: { ...ready, ready_us: state.ready_us } };

/** Cancels once; throws `export_not_found`, or `export_ended` where there is a file, or a failure, already. */
const cancel = (state: ExportState | undefined, id: string): ExportFact | null => {
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
      throw noSuch('export_not_found', id);
  }
};

/**
 * Throws unless the export that holds this id was asked with the same body: the target and format equal, the streams
 * equal in any order.
 */
export function requireSameQuestion(state: ExportState, asked: ExportQuestion): asserts state is RecordedExport {
  if (state.status === 'abandoned') {
    throw new DomainError(
      'conflict',
      'The first request with this Idempotency-Key took too long and was stopped. Send the request again.',
    );
  }
  if (fingerprint(state.question) === fingerprint(asked)) return;
  throw new DomainError(
    'idempotency_conflict',
    'This Idempotency-Key belongs to a different export. Send a new key for a new export.',
  );
}

const fingerprint = (question: ExportQuestion): string =>
  JSON.stringify([targetOfQuestion(question), question.streams.toSorted(), question.format]);
