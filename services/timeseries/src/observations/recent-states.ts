import type { ArchiveState } from '@almanac/contracts';
import type { VersionedState } from '@almanac/event-store';

type Current = VersionedState<ArchiveState>;

const marketsMax = 10_000;

/**
 * The data versions of the markets that changed last, from their events. An announcement is appended to such a state
 * without reading it first. If the state is out of date, the server refuses the append and the announcement reads it.
 */
export interface RecentStates {
  readonly put: (subject: string, current: Current) => void;
  readonly get: (subject: string) => Current | undefined;
}

export const recentStates = (max = marketsMax): RecentStates => {
  const states = new Map<string, Current>();
  return {
    put: (subject, current) => {
      if ((states.get(subject)?.seq ?? 0) >= current.seq) return;
      states.delete(subject);
      states.set(subject, current);
      const [oldest] = states.size > max ? states.keys() : [];
      if (oldest !== undefined) states.delete(oldest);
    },
    get: (subject) => states.get(subject),
  };
};
