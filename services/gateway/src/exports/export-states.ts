import { type Bus, type Running, patterns, subjects } from '@almanac/bus';
import { DomainError, exportState, type ExportState, notFound, type RecordedExport } from '@almanac/contracts';
import { type VersionedState, stateCache } from '@almanac/event-store';
import type { Logger } from '@almanac/runtime';
import type { Caller } from '../http/exchange.js';
import { createWatchers } from './watchers.js';

/** The states of requested exports, kept current by their events. */
export interface ExportStates extends Running {
  /**
   * The account's export with the sequence of its last event. The export of another account has another subject and
   * is not found. It throws the same `export_not_found` as an abandoned reservation or an id that is no UUID. For a key with
   * `as_of`, only exports as of its time or earlier exist.
   */
  get(caller: ExportOwner, exportId: string): Promise<VersionedState<RecordedExport>>;
  /** Reads the state again, after a change by this process whose event may not have arrived. */
  refresh(caller: ExportOwner, exportId: string): Promise<VersionedState<RecordedExport>>;
  /** Calls the listener on each change of an export, until the returned function is called. */
  watch(account: string, exportId: string, listener: () => void): () => void;
}

export type ExportOwner = Pick<Caller, 'account' | 'asOf'>;

export interface ExportStatesOptions {
  readonly max: number;
  readonly onChange: (state: ExportState) => void;
  readonly log: Logger;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const followExports = async (bus: Bus, { max, onChange, log }: ExportStatesOptions): Promise<ExportStates> => {
  const watchers = createWatchers();
  const states = await stateCache(bus, {
    stream: 'EVT_EXPORT',
    filter: patterns.allOf('EVT_EXPORT'),
    state: exportState,
    max,
    readFrom: 'leader or replica',
    confirmsMissing: true,
    onChange: (subject, { state }) => {
      onChange(state);
      watchers.notify(subject);
    },
    onUnreadable: (error, { subject, seq }) => log.error({ err: error, subject, seq }, 'an event cannot be read'),
  });
  const stateOf = async (how: 'get' | 'refresh', account: string, exportId: string) => {
    try {
      return await states[how](subjects.export(account, exportId));
    } catch (cause) {
      throw new DomainError('unavailable', 'The export is temporarily unavailable. Try again in a few seconds.', {
        cause,
      });
    }
  };
  const lookUp = async (
    how: 'get' | 'refresh',
    { account, asOf }: ExportOwner,
    exportId: string,
  ): Promise<VersionedState<RecordedExport>> => {
    const found = uuid.test(exportId) ? await stateOf(how, account, exportId.toLowerCase()) : undefined;
    if (found === undefined || found.state.status === 'abandoned') throw notFound('export_not_found', exportId);
    const { state, seq } = found;
    if (asOf !== null && (state.query.as_of ?? Infinity) > asOf) throw notFound('export_not_found', exportId);
    return { state, seq };
  };
  return {
    get: (caller, exportId) => lookUp('get', caller, exportId),
    refresh: (caller, exportId) => lookUp('refresh', caller, exportId),
    watch: (account, exportId, listener) => watchers.watch(subjects.export(account, exportId), listener),
    stop: () => states.stop(),
  };
};
