import type { Market } from '@almanac/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { archiveAt } from '../../api/client.js';
import type { ChartData } from '../../archive/market-data.js';
import { gapsElsewhere, isOfMarket } from '../../archive/market-data.js';
import { rounded } from '../../charts/window.js';

export const liveEveryS = 5;
/** Without new data, the present moves on in these steps: each would read what is in sight again. */
const presentEveryS = 30;
/** After a failure. */
const waitS = 30;
const microsecond = 1e-6;

export interface Live {
  /** Whether the market can be followed: it is open, and the present is shown. */
  readonly isPossible: boolean;
  readonly isOn: boolean;
  /** The newest observation that is known. */
  readonly lastTs: number | undefined;
  readonly error: Error | null;
  /** The end of a market that is open. */
  readonly now: number;
}

interface LiveOptions {
  readonly market: Market | undefined;
  readonly overview: ChartData | undefined;
  readonly isOn: boolean;
}

/**
 * Follows a market: the rows after the last known one, every few seconds. The gateway answers it from memory with 304 while nothing
 * is new. Only new rows make the screen read its charts, its book and its trades again. A hidden tab sends nothing.
 */
export const useLive = (ticker: string, { market, overview, isOn }: LiveOptions): Live => {
  const asOf = useAsOf();
  const client = useQueryClient();
  const [opened] = useState(() => asOf ?? Math.floor(Date.now() / 1_000));
  const [lastTs, setLastTs] = useState<number>();
  const isPossible = asOf === undefined && market?.status === 'live';
  const isFollowing = isPossible && isOn && overview !== undefined;
  const from = lastTs === undefined ? (overview?.points.at(-1)?.ts ?? opened) : rounded(lastTs + microsecond);
  const query = useQuery({
    queryKey: ['live', ticker, from],
    queryFn: ({ signal }) => readRows({ ticker, from, signal }),
    enabled: isFollowing,
    staleTime: 0,
    gcTime: 0,
    refetchInterval: ({ state: { error } }) => (error === null ? liveEveryS : waitS) * 1_000,
    refetchIntervalInBackground: false,
    refetchOnWindowFocus: true,
  });
  const newest = isFollowing ? query.data?.newest : undefined;
  if (newest !== undefined && newest !== lastTs) setLastTs(newest);
  useEffect(() => {
    if (lastTs === undefined) return;
    void client.invalidateQueries({ predicate: ({ queryKey }) => isOfMarket(queryKey, new Set([ticker])) });
  }, [lastTs, client, ticker]);
  const polledS = isFollowing ? Math.floor(query.dataUpdatedAt / 1_000) : 0;
  const now = useLatest(Math.max(opened, lastTs ?? 0, polledS - (polledS % presentEveryS)));
  useCloseOf(market, now, () => void client.invalidateQueries({ queryKey: ['market'] }));
  return { isPossible, isOn: isFollowing, lastTs, error: isFollowing ? query.error : null, now };
};

/** The present does not go back, such as where the clock of this machine is behind that of the data. */
const useLatest = (value: number): number => {
  const [latest, setLatest] = useState(value);
  if (value > latest) setLatest(value);
  return Math.max(value, latest);
};

interface Rows {
  readonly ticker: string;
  readonly from: number;
  readonly signal: AbortSignal;
}

/** The time of the newest row, if there is one. A second has one row: 1,000 of them reach over a tab that was hidden. */
const readRows = async ({ ticker, from, signal }: Rows): Promise<{ readonly newest: number | undefined }> => {
  const options = { signal, coverage: gapsElsewhere };
  const { snapshots } = await archiveAt(undefined)
    .markets.snapshots(ticker, { start_ts: from, limit: 1_000 }, options)
    .firstPage();
  return { newest: snapshots.at(-1)?.ts ?? undefined };
};

/** At its close, the market says that it is not live any more. */
const useCloseOf = (market: Market | undefined, now: number, onClose: () => void): void => {
  const isOver = market?.status === 'live' && market.close_ts !== null && market.close_ts <= now;
  useEffect(() => {
    if (isOver) onClose();
    // Once for each close.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isOver]);
};
