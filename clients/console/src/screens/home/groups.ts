import type { Market, Schemas, SeriesItem } from '@almanac/client';
import { sharedTitle } from '../../parts/titles.js';

export const groupsMax = 6;

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
