import type { EventItem } from '@almanac/contracts';
import type { PastArchive } from '../market/past-markets.js';
import { type GroupQuery, type PastGroup, pastGroups } from '../market/past-groups.js';
import { eventTitleOf, presentEvent } from './event-items.js';

export interface PastEvent {
  readonly event: EventItem;
  readonly group: PastGroup;
  /** Its own title has no knowledge time, so it is one made from series and close. Null if there is none. */
  readonly isDerived: boolean;
}

/** Events as of a time, in listing order. They follow from their markets that were listed by then. */
export const pastEvents = async (past: PastArchive, query: GroupQuery): Promise<PastEvent[]> =>
  (await pastGroups(past, 'event', { ...query, order: 'close' })).map((group) => pastEvent(group, past.asOfUs));

export const pastEvent = (group: PastGroup, asOfUs: number): PastEvent => {
  const row = {
    ...group,
    event_ticker: group.id,
    title: null,
    series: group.series_of,
    category: group.category_of,
    close_key: group.newest_key,
    open_us: group.oldest_open_us,
  };
  return { event: presentEvent(row, group.live_n, asOfUs), group, isDerived: eventTitleOf(row).isDerived };
};
