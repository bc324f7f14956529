import type { MarketDetail } from '@almanac/client';
import { type ReactNode, useMemo, useState } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { withBreaks, withDetail } from '../../charts/price-points.js';
import { createSignal } from '../../charts/signal.js';
import { useSettled } from '../../charts/use-settled.js';
import { isSame, outward, type Window, withMargin } from '../../charts/window.js';
import { Empty } from '../../states/empty.js';
import { Failure } from '../../states/failure.js';
import { Result } from '../../states/result.js';
import { BookHeatmap } from './book-heatmap.js';
import { BookLadder } from './book-ladder.js';
import { CoinChart } from './coin-chart.js';
import { CoverageCard } from './coverage.js';
import { type ChartData, lifeOf, type useCoverage, useDetail, useTrades } from './market-data.js';
import { PointTable } from './point-table.js';
import { PriceChart } from './price-chart.js';
import { Readout } from './readout.js';
import { Toolbar } from './toolbar.js';
import { TradeList } from './trade-list.js';

const viewPauseMs = 160;
const bookPauseMs = 90;

interface ChartsProps {
  readonly detail: MarketDetail;
  readonly overview: ChartData;
  readonly coverage: ReturnType<typeof useCoverage>;
}

const none = [] as const;

/** Everything of a market that has times, with one window and one cursor. */
export const Charts = (props: ChartsProps): ReactNode => {
  const { detail, coverage } = props;
  const parts = useParts(props);
  const { trades, life, shown } = parts;
  if (props.overview.points.length === 0 && trades.data?.trades.length === 0) {
    return (
      <Empty title="Nothing is recorded of this market">
        It is listed, but the archive has no price of it{detail.market.capture === null ? '' : ' in this time'}. Its
        terms are below.
      </Empty>
    );
  }
  return (
    <>
      <div className="market-grid">
        <ChartCard {...props} {...parts} />
        {parts.hasBooks ? <BookLadder ticker={detail.market.ticker} at={parts.bookAt} /> : null}
      </div>
      <PointTable points={parts.points} shown={shown} />
      <div className="columns">
        <Result query={coverage} what="the coverage">
          {(known) => <CoverageCard coverage={known} life={life} />}
        </Result>
        <Result query={trades} what="the trades">
          {({ trades: shownTrades, has_more }) => <TradeList trades={shownTrades} hasMore={has_more} />}
        </Result>
      </div>
    </>
  );
};

/** What is in sight: the overview, and the answers of the window that the view has come to rest at. */
const useParts = ({ detail: { market }, overview, coverage }: ChartsProps) => {
  const asOf = useAsOf();
  const [now] = useState(() => asOf ?? Math.floor(Date.now() / 1_000));
  const life = useMemo(() => lifeOf(market, overview, now), [market, overview, now]);
  const limits = useMemo(() => withMargin(life), [life]);
  const [{ view, cursor }] = useState(() => ({
    view: createSignal<Window>(limits),
    cursor: createSignal<number | undefined>(undefined),
  }));
  const shown = useSettled(view, viewPauseMs);
  // A live market has no book of its close yet. Without a time, the server answers with the book of now.
  const closeTs = market.status === 'live' ? undefined : (market.close_ts ?? undefined);
  const bookAt = useSettled(cursor, bookPauseMs) ?? closeTs;
  const zoomedTo = useMemo(() => (isSame(shown, limits) ? undefined : outward(shown)), [shown, limits]);
  const finer = useDetail(market.ticker, zoomedTo);
  const trades = useTrades(market.ticker, zoomedTo);
  const gaps = coverage.data?.gaps ?? none;
  // What a market captures is withheld as of a time. Its coverage is not.
  const hasBooks = coverage.data?.has_l2 ?? market.capture === 'l2';
  const detail = zoomedTo === undefined ? undefined : finer.data;
  const points = useMemo(
    () =>
      withBreaks(
        // A window can be shorter than one candle of the venue.
        detail === undefined || detail.points.length === 0
          ? overview.points
          : withDetail(overview.points, detail.points, detail.window),
        gaps,
      ),
    [detail, overview, gaps],
  );
  return {
    life,
    limits,
    view,
    cursor,
    shown,
    bookAt,
    finer,
    trades,
    gaps,
    points,
    chart: detail ?? overview,
    hasBooks,
  };
};

const ChartCard = (props: ChartsProps & ReturnType<typeof useParts>): ReactNode => {
  const { detail, finer, trades, gaps, points, view, limits, cursor, shown, chart, hasBooks } = props;
  const { market } = detail;
  const [kind, setKind] = useState<'line' | 'candles'>('line');
  const marks = useMemo(() => marksOf(market), [market]);
  const shownTrades = trades.data?.has_more === false ? trades.data.trades : none;
  const hasCoin = useMemo(() => points.some(({ coin }) => coin !== null), [points]);
  const nav = useMemo(() => ({ view, limits }), [view, limits]);
  const shared = { points, gaps, view, limits, cursor };
  return (
    <section
      className="card charts"
      aria-label="Chart"
      aria-busy={finer.isFetching}
      data-window={`${shown.from} ${shown.to}`}
    >
      <Toolbar chart={chart} kind={kind} onKind={setKind} nav={nav} cursor={cursor} market={market} shown={shown} />
      <Readout points={points} gaps={gaps} cursor={cursor} />
      <PriceChart {...shared} kind={kind} trades={shownTrades} marks={marks} />
      {hasCoin ? <CoinChart {...shared} strike={market.floor_strike} /> : null}
      {hasBooks ? (
        <BookHeatmap {...shared} ticker={market.ticker} shown={shown} until={market.close_ts ?? Infinity} />
      ) : null}
      {finer.error === null ? null : <Failure error={finer.error} onRetry={finer.refetch} />}
    </section>
  );
};

const marksOf = ({ close_ts, settlement_ts, result }: MarketDetail['market']) => [
  ...(close_ts === null ? [] : [{ ts: close_ts, text: 'close' }]),
  ...(settlement_ts === null ? [] : [{ ts: settlement_ts, text: `settled${result === null ? '' : `: ${result}`}` }]),
];
