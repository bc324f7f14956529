import { useEffect, useMemo, useState } from 'react';
import type { Window } from '../../charts/window.js';
import { type Ladder, type Line, mostOpen } from './event-data.js';
import { useLinePages } from './line-pages.js';

const none = [] as const;

interface LinesOptions {
  readonly id: string;
  readonly shown: Window;
  readonly ladder: Ladder;
  /** Undefined: those that the chart chooses. */
  readonly chosen: readonly string[] | undefined;
  /** Whether the lines of all markets are needed, for their sum or because each is a row. */
  readonly needsAll: boolean;
}

/**
 * The lines that are drawn, and those of all markets that were read. Reads all pages if a chosen market is not on the first one.
 * Lines of the window before stay until there are as many of the next.
 */
export const useDrawnLines = ({ id, shown, ladder, chosen, needsAll }: LinesOptions) => {
  const [before, setBefore] = useState<readonly Line[]>(none);
  const [choice, setChoice] = useState<readonly string[]>();
  const [wholeOf, setWholeOf] = useState<Window>();
  // What was read of a window stays while it is in sight, also for a chart that needs less.
  const isAll = needsAll || wholeOf === shown;
  const { rows, first, isRead, isWhole, error, refetch } = useLinePages({ id, shown, ladder, isAll });
  useWholeLadder(ladder, isAll);
  if (first !== undefined && choice === undefined) setChoice(mostOpen(first));
  const tickers = chosen ?? choice ?? none;
  const isMissing = useMemo(() => {
    const read = new Set(rows?.map(({ ticker }) => ticker));
    return rows !== undefined && tickers.some((ticker) => !read.has(ticker));
  }, [rows, tickers]);
  if (wholeOf !== shown && (needsAll || isMissing)) setWholeOf(shown);
  const isDone = isRead && (isAll ? isWhole : !isMissing);
  const all = rows !== undefined && (isDone || rows.length >= before.length) ? rows : before;
  if (all !== before) setBefore(all);
  const byTicker = useMemo(() => new Map(all.map((line) => [line.ticker, line])), [all]);
  const lines = useMemo(() => tickers.flatMap((ticker) => byTicker.get(ticker) ?? none), [tickers, byTicker]);
  const isLoading = rows === undefined || (isMissing && !isDone);
  return { lines, byTicker, all: isWhole ? all : undefined, tickers, error, refetch, isLoading, isDone };
};

/** Rows and strikes of charts of all markets are in the order of the ladder. */
const useWholeLadder = ({ hasMore, error, loadMore, rows }: Ladder, isWanted: boolean): void => {
  const isDue = isWanted && hasMore && error === null;
  useEffect(() => {
    if (isDue) void loadMore();
  }, [isDue, loadMore, rows]);
};
