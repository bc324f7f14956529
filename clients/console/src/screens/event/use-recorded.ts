import type { MarketQuality } from '@almanac/client';
import { useEffect, useMemo } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { readInTurn } from '../../api/at-most.js';
import { archiveAt } from '../../api/client.js';
import { usePages } from '../../api/use-pages.js';
import type { Window } from '../../charts/window.js';
import { dayOf } from '../../format/time.js';

const daysMax = 31;
const dayS = 86_400;
/** Markets of one answer of the API. */
const pageMarkets = 200;

/** What is recorded of the markets of an event. */
export interface Recorded {
  /** Of each market that was read, by ticker. */
  readonly byTicker: ReadonlyMap<string, MarketQuality>;
  /** The first day of what was read. A long event began before. */
  readonly fromDay: string;
  /** Whether nothing of the first page is there yet. */
  readonly isPending: boolean;
  readonly isWhole: boolean;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/** All pages, one after the other: only the page before has the cursor of the next. Of a long event, the last days. */
export const useRecorded = (event: string, { from, to }: Window, isWanted: boolean): Recorded => {
  const asOf = useAsOf();
  const fromDay = dayOf(Math.max(from, (Math.floor(to / dayS) - daysMax + 1) * dayS));
  const toDay = dayOf(to);
  const { rows, hasMore, error, refetch, loadMore } = usePages<MarketQuality, string>(
    ['event-recorded', asOf, event, fromDay, toDay],
    (cursor, signal) =>
      readInTurn(async () => {
        const params = { event, from: fromDay, to: toDay, limit: pageMarkets, cursor };
        const { markets, next_cursor } = await archiveAt(asOf).quality(params, { signal }).firstPage();
        return { items: markets, next: next_cursor ?? undefined };
      }, signal),
    isWanted,
  );
  const isDue = isWanted && hasMore && error === null;
  useEffect(() => {
    if (isDue) void loadMore();
  }, [isDue, loadMore, rows]);
  const byTicker = useMemo(() => new Map(rows?.map((market) => [market.ticker, market])), [rows]);
  const isPending = rows === undefined && error === null;
  const isWhole = rows !== undefined && !hasMore;
  return useMemo(
    () => ({ byTicker, fromDay, isPending, isWhole, error, refetch }),
    [byTicker, fromDay, isPending, isWhole, error, refetch],
  );
};
