import type { EventItem, Market, SeriesItem } from '@almanac/client';
import { type PagedRows, usePages } from './use-pages.js';
import { useAsOf } from './as-of.js';
import { archiveAt } from './client.js';

const rowsPerPage = 100;

export interface MarketFilters {
  readonly q?: string;
  readonly status?: string;
  readonly category?: string;
  readonly series?: string;
  readonly event?: string;
  readonly has_gaps?: boolean;
  readonly covered_min?: number;
}

/** From the first close on, because without a window the API answers with the newest days only. */
const wholeArchive = { from_ts: 0 };

export const useMarkets = (filters: MarketFilters): PagedRows<Market> => {
  const as_of = useAsOf();
  return usePages<Market, string>(['markets', as_of, filters], async (cursor, signal) => {
    const read = async (from: string | undefined) => {
      const params = { ...wholeArchive, ...filters, cursor: from, limit: rowsPerPage };
      const { markets, next_cursor } = await archiveAt(as_of).markets.list(params, { signal }).firstPage();
      return { items: markets, next: next_cursor ?? undefined };
    };
    let page = await read(cursor);
    // Of markets by their coverage, many can be compared until one fits.
    while (page.items.length === 0 && page.next !== undefined) page = await read(page.next);
    return page;
  });
};

export const useSeriesList = (filters: Pick<MarketFilters, 'q' | 'status' | 'category'>): PagedRows<SeriesItem> => {
  const as_of = useAsOf();
  return usePages<SeriesItem, number>(['series', as_of, filters], async (offset, signal) => {
    const params = { ...filters, offset, limit: rowsPerPage };
    const { series, next_offset } = await archiveAt(as_of).series.list(params, { signal }).firstPage();
    return { items: series, next: next_offset ?? undefined };
  });
};

export const useEventsOf = (series: string, filters: Pick<MarketFilters, 'q' | 'status'>): PagedRows<EventItem> => {
  const as_of = useAsOf();
  return usePages<EventItem, number>(['events', as_of, series, filters], async (event_offset, signal) => {
    const params = { ...filters, event_offset, limit: rowsPerPage };
    const { events = [], next_event_offset } = await archiveAt(as_of).series.get(series, params, { signal });
    return { items: events, next: next_event_offset ?? undefined };
  });
};
