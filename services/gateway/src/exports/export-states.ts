import { type Bus, type Running, patterns, subjects } from '@almanac/bus';
import { DomainError, exportState, type ExportState, notFound, type RecordedExport } from '@almanac/contracts';
import { type VersionedState, stateCache } from '@almanac/event-store';
import type { Logger } from '@almanac/runtime';
import { createWatchers } from './watchers.js';

/** The states of exports that were asked for, kept current by their events. */
export interface ExportStates extends Running {
  /**
   * The account's export, with the sequence of its last event. Another account's stands under another subject and so does
   * not exist here; it throws the same `export_not_found`, as do a reservation that was abandoned and an id that is no
   * UUID.
   */
  get(account: string, exportId: string): Promise<VersionedState<RecordedExport>>;
  /** The same as recorded now, after a change of our own whose event may still be on its way. */
  refresh(account: string, exportId: string): Promise<VersionedState<RecordedExport>>;
  /** Tells of each change of an export from now on, until the function that it gives is called. */
  watch(account: string, exportId: string, listener: () => void): () => void;
}

export interface ExportStatesOptions {
  /** How many are kept. */
  readonly max: number;
  /** Hears of every change of any export. */
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
    readFrom: 'leader',
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
  const looked = async (
    how: 'get' | 'refresh',
    account: string,
    exportId: string,
  ): Promise<VersionedState<RecordedExport>> => {
    const found = uuid.test(exportId) ? await stateOf(how, account, exportId.toLowerCase()) : undefined;
    if (found === undefined || found.state.status === 'abandoned') throw notFound('export_not_found', exportId);
    return { state: found.state, seq: found.seq };
  };
  return {
    get: (account, exportId) => looked('get', account, exportId),
    refresh: (account, exportId) => looked('refresh', account, exportId),
    watch: (account, exportId, listener) => watchers.watch(subjects.export(account, exportId), listener),
    stop: () => states.stop(),
  };
};
