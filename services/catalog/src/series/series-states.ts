import { type Bus, followCurrent, patterns, type Running } from '@almanac/bus';
import { seriesState, type SeriesState } from '@almanac/contracts';
import { putSeries, type SeriesText, seriesText } from './series-text.js';

interface Known {
  readonly state: SeriesState;
  readonly seq: number;
}

export interface SeriesStates extends Running {
  /** By subject. Complete from the start. */
  readonly states: ReadonlyMap<string, SeriesState>;
  /** The same by their words. */
  readonly text: SeriesText;
  /** Stores a state received elsewhere, unless a newer one is stored. */
  put(subject: string, known: Known): void;
}

/** The current states of all series, in memory: they are few, and almost every query needs them. */
export const seriesStates = async (
  bus: Bus,
  onUnreadable: (error: unknown, message: { subject: string; seq: number }) => void,
): Promise<SeriesStates> => {
  const states = new Map<string, SeriesState>();
  const text = seriesText();
  const seqs = new Map<string, number>();
  const put = (subject: string, { state, seq }: Known): void => {
    if ((seqs.get(subject) ?? 0) >= seq) return;
    seqs.set(subject, seq);
    states.set(subject, state);
    putSeries(text, state);
  };
  const following = await followCurrent(bus, {
    stream: 'EVT_CATALOG',
    filter: patterns.allSeries,
    state: seriesState,
    onUnreadable,
    onEvent: ({ subject, seq, event: { state } }) => put(subject, { state, seq }),
  });
  return { states, text, put, stop: () => following.stop() };
};
