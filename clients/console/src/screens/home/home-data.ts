import { ApiError, type Market, type Schemas, type SeriesItem } from '@almanac/client';
import { useQuery } from '@tanstack/react-query';
import { useAsOf } from '../../api/as-of.js';
import { archiveAt } from '../../api/client.js';
import { dayOf } from '../../format/time.js';
import { sharedTitle } from '../../parts/titles.js';

const seriesMax = 100;
const marketsMax = 200;
export const groupsMax = 6;
const dayS = 86_400;

/** The series that are live or closed last, and how much the archive has in all. */
export const useArchive = () => {
  const asOf = useAsOf();
  return useQuery({
    queryKey: ['home-series', asOf],
    queryFn: ({ signal }) => archiveAt(asOf).series.list({ limit: seriesMax }, { signal }).firstPage(),
  });
};

export const useCategories = () => {
  const asOf = useAsOf();
  return useQuery({
    queryKey: ['categories', asOf],
    queryFn: ({ signal }) => archiveAt(asOf).categories.list({ signal }),
  });
};

/** The markets of one event, or a market without an event. */
export interface MarketGroup {
  readonly id: string;
  readonly title: string;
  readonly close_ts: number;
  readonly markets: readonly Market[];
}

/** By event, in the order of the markets. */
export const groupsOf = (markets: readonly Market[]): MarketGroup[] => {
  const groups = new Map<string, Market[]>();
  for (const market of markets) {
    const key = market.event_ticker ?? market.ticker;
    groups.set(key, [...(groups.get(key) ?? []), market]);
  }
  return [...groups].map(([id, group]) => ({
    id,
    title: sharedTitle(group.map(({ ticker, title }) => title ?? ticker)) ?? id,
    close_ts: group[0]?.close_ts ?? 0,
    markets: group,
  }));
};

/** The n-th time of an order, or the last one. */
const nth = (times: readonly (number | null)[], order: 1 | -1, n: number): number | undefined => {
  const sorted = times.filter((ts) => ts !== null).toSorted((one, other) => order * (one - other));
  return sorted[Math.min(n, sorted.length) - 1];
};

/** The closes that series state bound the request for their markets, which the API lists by newest close. */
export const boundsOf = (series: readonly Pick<SeriesItem, 'next_close_ts' | 'last_close_ts'>[]) => ({
  next: nth(
    series.map(({ next_close_ts }) => next_close_ts),
    1,
    groupsMax,
  ),
  last: nth(
    series.map(({ last_close_ts }) => last_close_ts),
    -1,
    groupsMax,
  ),
});

interface Closes {
  readonly from: number;
  readonly to: number;
}

const useMarketsClosing = (name: string, closes: Closes | undefined) => {
  const asOf = useAsOf();
  return useQuery({
    queryKey: ['home', name, asOf, closes],
    queryFn: async ({ signal }) => {
      const params = { from_ts: closes?.from, to_ts: closes?.to, limit: marketsMax };
      const { markets } = await archiveAt(asOf).markets.list(params, { signal }).firstPage();
      return markets;
    },
    enabled: closes !== undefined,
  });
};

/** What closes next, the soonest first. Undefined bound: nothing is open. */
export const useNextCloses = (now: number, until: number | undefined) => {
  const closes = until === undefined ? undefined : { from: Math.floor(now), to: Math.ceil(until) };
  const query = useMarketsClosing('next', closes);
  return { ...query, groups: query.data && groupsOf(query.data.toReversed()).slice(0, groupsMax) };
};

export const useLastCloses = (now: number, since: number | undefined) => {
  const closes = since === undefined ? undefined : { from: Math.floor(since), to: Math.ceil(now) };
  const query = useMarketsClosing('last', closes);
  return { ...query, groups: query.data && groupsOf(query.data).slice(0, groupsMax) };
};

/** What a calendar can be about: a category, or a series of an archive without categories. */
export interface CalendarTarget {
  readonly kind: 'category' | 'series';
  readonly id: string;
  readonly label: string;
}

export const targetsOf = (
  categories: readonly Schemas['Category'][],
  series: readonly SeriesItem[],
): CalendarTarget[] => {
  const filled = categories
    .filter(({ markets_n }) => markets_n > 0)
    .toSorted((one, other) => other.markets_n - one.markets_n)
    .map(({ id, label }) => ({ kind: 'category' as const, id, label }));
  if (filled.length > 0) return filled;
  return series.map(({ id, label }) => ({ kind: 'series', id, label }));
};

/** The API compares 10,000 markets at once, which a large archive has in fewer days. */
const daysTried = [31, 7, 1] as const;

/** What is recorded by day, until the last day with a close. */
export const useRecordedDays = (target: CalendarTarget | undefined, endTs: number) => {
  const asOf = useAsOf();
  return useQuery({
    queryKey: ['home-days', asOf, target, dayOf(endTs)],
    queryFn: async ({ signal }) => {
      const { kind, id } = target ?? { kind: 'category', id: '' };
      const read = (days: number) => {
        const range = { from: dayOf(endTs - (days - 1) * dayS), to: dayOf(endTs) };
        const params = { [kind]: id, ...range, by: 'day', sort: 'time', limit: days } as const;
        return archiveAt(asOf).qualityByPeriod(params, { signal }).firstPage();
      };
      for (const days of daysTried.slice(0, -1)) {
        try {
          return await read(days);
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 422) throw error;
        }
      }
      return read(daysTried[daysTried.length - 1] ?? 1);
    },
    enabled: target !== undefined,
  });
};
