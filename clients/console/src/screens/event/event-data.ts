import type { EventItem, Market } from '@almanac/client';
import { useQuery } from '@tanstack/react-query';
import { useAsOf } from '../../api/as-of.js';
import { archiveAt } from '../../api/client.js';
import { type PricePoint, pointOfCandle } from '../../charts/price-points.js';
import type { Window } from '../../charts/window.js';
import { withoutNoise } from '../../format/numbers.js';
import type { ShownCall } from '../../archive/shown-call.js';
import { type PagedRows, type StartsOf, usePages } from '../../api/use-pages.js';
import { gapsElsewhere } from '../../archive/market-data.js';

const ladderRows = 400;
const gridTimes = 400;
const gridTimesMax = 5_000;
const stepMsMin = 100;
const stepMsMax = 86_400_000;

export const useEvent = (id: string) => {
  const asOf = useAsOf();
  return useQuery({
    queryKey: ['event', asOf, id],
    queryFn: ({ signal }) => archiveAt(asOf).events.get(id, { limit: 1 }, { signal }),
  });
};

/** The cursors of its pages are also those of the prices of all markets. */
export type Ladder = PagedRows<Market> & StartsOf<string>;

/** The markets of an event in the order of their strikes. */
export const useLadder = (id: string): Ladder => {
  const asOf = useAsOf();
  return usePages<Market, string>(['event-markets', asOf, id], async (cursor, signal) => {
    const { markets, next_cursor } = await archiveAt(asOf).events.get(id, { limit: ladderRows, cursor }, { signal });
    return { items: markets, next: next_cursor ?? undefined };
  });
};

/** From the first open to the last close, or to the time until which the archive can know anything. */
export const lifeOfEvent = ({ open_ts, close_ts }: EventItem, now: number): Window | undefined => {
  const to = Math.min(close_ts ?? now, now);
  return open_ts === null || open_ts >= to ? undefined : { from: Math.floor(open_ts), to: Math.ceil(to) };
};

/** A step that gives a chart enough times, and the API not too many. */
export const stepMsOf = ({ from, to }: Window): number => {
  const lengthMs = (to - from) * 1_000;
  const wanted = Math.ceil(lengthMs / gridTimes / stepMsMin) * stepMsMin;
  return Math.min(stepMsMax, Math.max(stepMsMin, wanted, Math.ceil(lengthMs / gridTimesMax)));
};

export interface Line {
  readonly ticker: string;
  readonly ts: readonly number[];
  readonly prices: readonly (number | null)[];
}

export const callOfLines = (id: string, shown: Window, as_of: number | undefined): ShownCall => ({
  resource: 'events',
  method: 'snapshots',
  args: [id],
  params: { start_ts: shown.from, end_ts: shown.to, step_ms: stepMsOf(shown), as_of },
  path: `/events/${encodeURIComponent(id)}/snapshots`,
});

/** The price of the coin, which all markets of an event share. */
export const useCoin = (ticker: string | undefined, shown: Window) => {
  const asOf = useAsOf();
  return useQuery({
    queryKey: ['event-coin', asOf, ticker, shown],
    queryFn: async ({ signal }): Promise<readonly PricePoint[]> => {
      const params = { start_ts: shown.from, end_ts: shown.to, points: gridTimes };
      const page = await archiveAt(asOf)
        .markets.candles(ticker ?? '', params, { signal, coverage: gapsElsewhere })
        .firstPage();
      return page.candles.map(pointOfCandle).filter(({ coin }) => coin !== null);
    },
    enabled: ticker !== undefined,
    placeholderData: (before) => before,
  });
};

/** More markets than this are not added up by themselves: each 100 are a request. */
export const sumMarketsMax = 300;

/** Whether exactly one of the markets can win, so that their prices together should be 1. Those of a ladder overlap. */
export const areExclusive = (markets: readonly Pick<Market, 'strike_type'>[]): boolean => {
  const types = new Set(markets.map(({ strike_type }) => strike_type));
  const isLadder = types.size === 1 && /^(greater|less)/.test([...types][0] ?? '');
  return markets.length > 1 && !isLadder;
};

/** The prices of all markets together. Null where one of them is not known. */
export const sumOf = (lines: readonly Line[]): (number | null)[] =>
  (lines[0]?.ts ?? []).map((_, at) => {
    let sum = 0;
    for (const { prices } of lines) {
      const price = prices[at] ?? null;
      if (price === null) return null;
      sum += price;
    }
    return withoutNoise(sum);
  });

const linesShown = 8;

/** The markets whose outcome is most open: the last price is nearest to a half. */
export const mostOpen = (lines: readonly Line[]): string[] =>
  lines
    .map(({ ticker, prices }) => ({ ticker, last: prices.findLast((price) => price !== null) }))
    .filter(({ last }) => last !== undefined)
    .toSorted((one, other) => Math.abs((one.last ?? 0) - 0.5) - Math.abs((other.last ?? 0) - 0.5))
    .slice(0, linesShown)
    .map(({ ticker }) => ticker);
