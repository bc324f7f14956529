import type { EventSnapshots } from '@almanac/client';
import { type UseQueryResult, useQueries, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { readInTurn } from '../../api/at-most.js';
import { archiveAt } from '../../api/client.js';
import { meanOf } from '../../charts/price-points.js';
import type { Window } from '../../charts/window.js';
import { type Ladder, type Line, stepMsOf } from './event-data.js';
import { type LadderPages, type Start, startsOf } from './line-starts.js';

/** Markets of one answer of the API. */
const linesPerPage = 100;
/**
 * The prices of thousands of markets take tens of MB. Those of the first window stay for who comes back to the event, and those of a
 * part of it are dropped as soon as it is left.
 */
const unusedMs = { first: 60_000, part: 5_000 } as const;

interface LinesPage {
  readonly lines: readonly Line[];
  readonly next: Start;
}

interface PagesOptions {
  readonly id: string;
  readonly shown: Window;
  readonly ladder: LadderPages & Pick<Ladder, 'hasMore'>;
  /** Whether all markets are wanted, and not only the first page. */
  readonly isAll: boolean;
}

interface LinesRead {
  /** Of all pages that are there. Undefined until the first one is. */
  readonly rows: readonly Line[] | undefined;
  /** Of the first page. */
  readonly first: readonly Line[] | undefined;
  /** Whether each page is there of which the place is known. */
  readonly isRead: boolean;
  /** Whether each page of the event is there. */
  readonly isWhole: boolean;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/** The prices of the markets of an event on one clock, in the order of the ladder, as far as they are there. */
export const useLinePages = ({ id, shown, ladder, isAll }: PagesOptions): LinesRead => {
  const asOf = useAsOf();
  const cache = useQueryClient();
  const [firstShown] = useState(shown);
  const keyOf = (start: Start) => ['event-lines', asOf, id, shown, start ?? ''];
  const known = startsOf(ladder, linesPerPage, (start) => cache.getQueryData<LinesPage>(keyOf(start))?.next);
  const starts = isAll ? known : known.slice(0, 1);
  const { pages, error, refetch } = useQueries({
    queries: starts.map((cursor) => ({
      queryKey: keyOf(cursor),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        readInTurn(async (): Promise<LinesPage> => {
          const window = { start_ts: shown.from, end_ts: shown.to, step_ms: stepMsOf(shown) };
          const params = { ...window, limit: linesPerPage, cursor };
          const page = await archiveAt(asOf).events.snapshots(id, params, { signal }).firstPage();
          return { lines: linesOf(page), next: page.next_cursor ?? undefined };
        }, signal),
      gcTime: unusedMs[shown === firstShown ? 'first' : 'part'],
      // It takes longer to compare thousands of arrays than to draw them.
      structuralSharing: false,
    })),
    combine,
  });
  const first = pages.get(0)?.lines;
  const rows = useMemo(() => (pages.has(0) ? [...pages.values()].flatMap(({ lines }) => lines) : undefined), [pages]);
  const isRead = pages.size === starts.length;
  return { rows, first, isRead, isWhole: isRead && !ladder.hasMore && starts.length === known.length, error, refetch };
};

/** A map, because arrays would be compared value by value with those before. */
const combine = (results: readonly UseQueryResult<LinesPage>[]) => ({
  pages: new Map(results.flatMap(({ data }, at) => (data === undefined ? [] : [[at, data] as const]))),
  error: results.find(({ error }) => error !== null)?.error ?? null,
  refetch: () => results.filter(({ error }) => error !== null).map(({ refetch }) => refetch()),
});

/** The middle of the best prices, or the only one of them. */
const middle = (bid: number | null, ask: number | null): number | null => meanOf(bid, ask) ?? bid ?? ask;

const linesOf = ({ ts, markets }: EventSnapshots): Line[] =>
  markets.map(({ ticker, yes_best_bid, yes_best_ask }) => ({
    ticker,
    ts,
    prices: ts.map((_, at) => middle(yes_best_bid[at] ?? null, yes_best_ask[at] ?? null)),
  }));
