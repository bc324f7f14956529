import { useEffect, useMemo, useState } from 'react';
import type { Window } from '../../charts/window.js';
import { type Line, mostOpen, useLines } from './event-data.js';

const none = [] as const;

interface LinesOptions {
  readonly id: string;
  readonly shown: Window;
  /** Undefined: those that the chart chooses. */
  readonly chosen: readonly string[] | undefined;
  /** Whether the lines of all markets are needed, for their sum. */
  readonly needsAll: boolean;
}

/**
 * The lines that are drawn, and those of all markets that were read. Reads pages until every chosen market is among them. Lines
 * of the window before stay until those of the next are there.
 */
export const useDrawnLines = ({ id, shown, chosen, needsAll }: LinesOptions) => {
  const { rows, hasMore, error, loadMore, refetch } = useLines(id, shown);
  const [before, setBefore] = useState<readonly Line[]>(none);
  const [choice, setChoice] = useState<readonly string[]>();
  if (rows !== undefined && choice === undefined) setChoice(mostOpen(rows));
  if (rows !== undefined && rows !== before) setBefore(rows);
  const tickers = chosen ?? choice ?? none;
  const all = rows ?? before;
  const byTicker = useMemo(() => new Map(all.map((line) => [line.ticker, line])), [all]);
  const isMissing = rows !== undefined && tickers.some((ticker) => !byTicker.has(ticker));
  const isDue = hasMore && (isMissing || needsAll) && error === null;
  useEffect(() => {
    if (isDue) void loadMore();
  }, [isDue, loadMore, rows]);
  const lines = useMemo(() => tickers.flatMap((ticker) => byTicker.get(ticker) ?? none), [tickers, byTicker]);
  const isLoading = rows === undefined || (isMissing && hasMore);
  return { lines, byTicker, all: hasMore ? undefined : all, tickers, error, refetch, isLoading };
};
