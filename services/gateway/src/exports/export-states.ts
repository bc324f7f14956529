import { type Bus, type Running, patterns, subjects } from '@almanac/bus';
import { DomainError, exportState, type ExportState, noSuch } from '@almanac/contracts';
import { stateCache } from '@almanac/event-store';
import type { Logger } from '@almanac/runtime';

export type RecordedExport = Exclude<ExportState, { status: 'abandoned' }>;

/** The states of exports that were asked for, kept current by their events. */
export interface ExportStates extends Running {
  /**
   * The account's export. Another account's stands under another subject and so does not exist here; it throws the
   * same `export_not_found`, as do a reservation that was abandoned and an id that is no UUID.
   */
  get(account: string, exportId: string): Promise<RecordedExport>;
  /** The same as recorded now, after a change of our own whose event may still be on its way. */
  refresh(account: string, exportId: string): Promise<RecordedExport>;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const followExports = async (bus: Bus, max: number, log: Logger): Promise<ExportStates> => {
  const states = await stateCache(bus, {
    stream: 'EVT_EXPORT',
    filter: patterns.allOf('EVT_EXPORT'),
    state: exportState,
    max,
    ask: 'leader',
    onUnreadable: (error, { subject, seq }) => log.error({ err: error, subject, seq }, 'an event cannot be read'),
  });
  const looked = async (how: 'get' | 'refresh', account: string, exportId: string): Promise<RecordedExport> => {
    const state = uuid.test(exportId) ? (await known(how, account, exportId.toLowerCase()))?.state : undefined;
    if (state === undefined || state.status === 'abandoned') throw noSuch('export_not_found', exportId);
    return state;
  };
  const known = async (how: 'get' | 'refresh', account: string, exportId: string) => {
    try {
      return await states[how](subjects.export(account, exportId));
    } catch (cause) {
      throw new DomainError('unavailable', 'The export cannot be looked up. Try again shortly.', { cause });
    }
  };
  return {
    get: (account, exportId) => looked('get', account, exportId),
    refresh: (account, exportId) => looked('refresh', account, exportId),
    stop: () => states.stop(),
  };
};
