import type { CoverageGap } from '@almanac/client';
import { useMemo, useState } from 'react';
import { aroundView, periodOf } from '../../charts/periods.js';
import { withBreaks, withDetail } from '../../charts/price-points.js';
import { useSettled } from '../../charts/use-settled.js';
import { useChartView } from '../../charts/use-view.js';
import { isSame, outward, type Window, withMargin } from '../../charts/window.js';
import type { ChartSettings } from './chart-settings.js';
import type { ChartsProps } from './charts.js';
import { lastKnownOf, lifeOf, useCandles, useDetail, useTrades } from '../../archive/market-data.js';

const viewPauseMs = 160;
const bookPauseMs = 90;
const none = [] as const;

/** What is in sight: the overview, and the answers of the window that the view has come to rest at. */
export const useShown = (
  { detail: { market }, overview, coverage, live: { now } }: ChartsProps,
  { kind, period: chosenPeriod }: ChartSettings,
  widthPx: number,
) => {
  const life = useMemo(() => lifeOf(market, overview, now), [market, overview, now]);
  const limits = useMemo(() => withMargin(life), [life]);
  const { nav, view, cursor } = useChartView(limits);
  const shown = useSettled(view, viewPauseMs);
  const gaps = coverage.data?.gaps ?? none;
  // The last moment that is known: a book of a later one is that of a gap. A live market that is recorded has one of now.
  const last = lastKnownOf(overview, coverage.data);
  const isRecorded = market.status === 'live' && !gaps.some((gap) => isGapAt(gap, now));
  const present = isRecorded ? undefined : last === undefined ? (market.close_ts ?? undefined) : last.ts;
  const moment = shown.to < (present ?? life.to) ? shown.to : present;
  const bookAt = useSettled(cursor, bookPauseMs) ?? moment;
  const isLine = kind === 'line';
  const isAll = useIsAll(shown, limits);
  const zoomedTo = useMemo(() => (isAll ? undefined : outward(shown)), [isAll, shown]);
  const period = periodOf(shown, widthPx, chosenPeriod);
  const around = useMemo(() => aroundView(shown, limits, period), [shown, limits, period]);
  const finer = useDetail(market.ticker, isLine ? zoomedTo : undefined);
  const candles = useCandles(market.ticker, isLine || widthPx === 0 ? undefined : around, period);
  const trades = useTrades(market.ticker, zoomedTo);
  // What a market captures is withheld as of a time. Its coverage is not.
  const hasBooks = coverage.data?.has_l2 ?? market.capture === 'l2';
  const line = zoomedTo === undefined ? undefined : finer.data;
  const points = useMemo(() => {
    if (!isLine) return candles.data?.points ?? none;
    // A window can be shorter than one candle of the venue.
    const isCoarse = line === undefined || line.points.length === 0;
    return withBreaks(isCoarse ? overview.points : withDetail(overview.points, line.points, line.window), gaps);
  }, [isLine, candles.data, line, overview, gaps]);
  const { error, refetch, isFetching } = isLine ? finer : candles;
  return {
    life,
    nav,
    cursor,
    shown,
    moment,
    bookAt,
    finer: { error, refetch, isFetching },
    trades,
    gaps,
    points,
    period,
    chart: (isLine ? line : candles.data) ?? overview,
    hasBooks,
  };
};

/** Whether everything is in sight. What has come to rest is behind limits that move with new data, and is no zoom then. */
const useIsAll = (shown: Window, limits: Window): boolean => {
  const [all, setAll] = useState<Window>();
  const isSameNow = isSame(shown, limits);
  if (isSameNow && all !== shown) setAll(shown);
  return isSameNow || all === shown;
};

/** Also of a gap that begins or ends at the time. */
const isGapAt = ({ start_ts, end_ts, missing }: CoverageGap, ts: number): boolean =>
  missing === 'all' && start_ts <= ts && (end_ts ?? ts) >= ts - 1;
