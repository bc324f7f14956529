import { type Bus, type FollowOptions, patterns } from '@almanac/bus';
import { type SeriesState, seriesState } from '@almanac/contracts';
import { replicateStates, type StateReplica } from '@almanac/event-store';
import { putSeries, type SeriesText, seriesText } from './series-text.js';

export interface SeriesReplica extends StateReplica<SeriesState> {
  /** The same series by their words. */
  readonly text: SeriesText;
}

/** All series in memory, by subject and by their words: they are few, and almost every query needs them. */
export const replicateSeries = async (
  bus: Bus,
  onUnreadable: FollowOptions<SeriesState>['onUnreadable'],
): Promise<SeriesReplica> => {
  const text = seriesText();
  const replica = await replicateStates(bus, {
    stream: 'EVT_CATALOG',
    filter: patterns.allSeries,
    state: seriesState,
    onChange: (_, { state }) => putSeries(text, state),
    onUnreadable,
  });
  return { ...replica, text };
};
