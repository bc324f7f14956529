import type { CoverageGap, MarketDetail } from '@almanac/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useAsOf } from '../../api/as-of.js';
import {
  type ChartData,
  lifeOf,
  marketQuery,
  overviewQuery,
  useCoverage,
  useDetail,
} from '../../archive/market-data.js';
import { type PricePoint, withBreaks, withDetail } from '../../charts/price-points.js';
import { useSettled } from '../../charts/use-settled.js';
import { useChartView } from '../../charts/use-view.js';
import { isSame, outward, rounded, type Window, withMargin } from '../../charts/window.js';
import { alignedOf } from './aligned.js';

/** What is read of one of the markets as soon as it is chosen. */
export const useSide = (ticker: string) => {
  const asOf = useAsOf();
  const overview = useQuery(overviewQuery(ticker, asOf));
  const market = useQuery(marketQuery(ticker, asOf));
  const coverage = useCoverage(ticker, !overview.isPending);
  return { overview, market, coverage };
};

/** A market whose answers are there. */
export interface Side {
  readonly detail: MarketDetail;
  readonly overview: ChartData;
  readonly gaps: readonly CoverageGap[];
}

const viewPauseMs = 160;

const lifeOfSide = ({ detail, overview }: Side, now: number): Window => lifeOf(detail.market, overview, now);

const moved = ({ from, to }: Window, seconds: number): Window => ({ from: from + seconds, to: to + seconds });

/** The seconds by which the second market is moved so that both close at the same time. */
export const shiftOf = ([first, second]: readonly [Side, Side]): number | undefined => {
  const [one, other] = [first.detail.market.close_ts, second.detail.market.close_ts];
  return one === null || other === null || one === other ? undefined : one - other;
};

/** A market as if everything of it were so many seconds later. */
const shiftedBy = (points: readonly PricePoint[], seconds: number): readonly PricePoint[] =>
  seconds === 0 ? points : points.map((point) => ({ ...point, ts: rounded(point.ts + seconds) }));

const pointsOf = (
  { overview, gaps }: Side,
  detail: ChartData | undefined,
  zoomedTo: Window | undefined,
): readonly PricePoint[] => {
  const isCoarse = zoomedTo === undefined || detail === undefined || detail.points.length === 0;
  return withBreaks(isCoarse ? overview.points : withDetail(overview.points, detail.points, detail.window), gaps);
};

/** Two markets in one window: their points, and their prices on one clock. The second one is `shift` seconds later. */
export const useCompared = ([first, second]: readonly [Side, Side], shift: number) => {
  const asOf = useAsOf();
  const [now] = useState(() => asOf ?? Math.floor(Date.now() / 1_000));
  const limits = useMemo(() => {
    const lives = [lifeOfSide(first, now), moved(lifeOfSide(second, now), shift)] as const;
    return withMargin({ from: Math.min(lives[0].from, lives[1].from), to: Math.max(lives[0].to, lives[1].to) });
  }, [first, second, now, shift]);
  const { nav, view, cursor } = useChartView(limits);
  const shown = useSettled(view, viewPauseMs);
  const zoomedTo = useMemo(() => (isSame(shown, limits) ? undefined : outward(shown)), [shown, limits]);
  const zoomedSecond = useMemo(() => (zoomedTo === undefined ? undefined : moved(zoomedTo, -shift)), [zoomedTo, shift]);
  const finer = [
    useDetail(first.detail.market.ticker, zoomedTo),
    useDetail(second.detail.market.ticker, zoomedSecond),
  ] as const;
  const [one, other] = [finer[0].data, finer[1].data];
  const points = useMemo(
    () => [pointsOf(first, one, zoomedTo), shiftedBy(pointsOf(second, other, zoomedSecond), shift)] as const,
    [first, second, one, other, zoomedTo, zoomedSecond, shift],
  );
  const aligned = useMemo(() => alignedOf(points), [points]);
  return { nav, cursor, shown, points, aligned, finer };
};
