import type { CoverageGap, Snapshot } from '@almanac/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { archiveAt } from '../../api/client.js';
import { useThemeName } from '../../charts/colors.js';
import { type DepthImage, depthImageOf } from '../../charts/depth-layer.js';
import { heatmapOf } from '../../charts/heatmap.js';
import { lengthOf, outward, type Window } from '../../charts/window.js';
import { gapsElsewhere } from '../../archive/market-data.js';

const columns = 180;
/** The API gives a book for at most each minute. */
const stepMsMax = 60_000;
export const depthSecondsMax = (columns * stepMsMax) / 1_000;
const rowsPerColumn = 2;

interface DepthOptions {
  readonly ticker: string;
  readonly shown: Window;
  readonly gaps: readonly CoverageGap[];
  /** The close of the market. */
  readonly until: number;
  readonly isWanted: boolean;
}

/** The order books of the time in sight as a picture, if it is short enough and the account may read books. */
export const useDepth = ({ ticker, shown, gaps, until, isWanted }: DepthOptions) => {
  const asOf = useAsOf();
  const theme = useThemeName();
  const window = useMemo(() => outward(shown), [shown]);
  const isShort = lengthOf(window) <= depthSecondsMax;
  const query = useQuery({
    queryKey: ['books', asOf, ticker, window],
    queryFn: ({ signal }) => readBooks({ ticker, asOf, signal }, window),
    enabled: isShort && isWanted,
    placeholderData: keepPreviousData,
  });
  const image = useMemo((): DepthImage | undefined => {
    if (query.data === undefined || !isWanted || !isShort) return undefined;
    const map = heatmapOf({ snapshots: query.data.snapshots, gaps, until }, query.data.window, columns);
    return map && depthImageOf(map, query.data.window, theme === 'dark' ? 'dark' : 'light');
  }, [query.data, gaps, until, isWanted, isShort, theme]);
  return { image, isShort, error: query.error, refetch: query.refetch, isFetching: query.isFetching };
};

interface Read {
  readonly ticker: string;
  readonly asOf: number | undefined;
  readonly signal: AbortSignal;
}

interface BooksInWindow {
  readonly snapshots: readonly Snapshot[];
  readonly window: Window;
}

const readBooks = async ({ ticker, asOf, signal }: Read, window: Window): Promise<BooksInWindow> => {
  const step_ms = Math.min(stepMsMax, Math.max(1, Math.ceil((lengthOf(window) * 1_000) / columns)));
  const params = {
    start_ts: window.from,
    end_ts: window.to,
    step_ms,
    include_book: true,
    limit: columns * rowsPerColumn,
  };
  // The gaps are drawn from the coverage that the screen has.
  const options = { signal, coverage: gapsElsewhere };
  const { snapshots } = await archiveAt(asOf).markets.snapshots(ticker, params, options).firstPage();
  return { snapshots, window };
};
