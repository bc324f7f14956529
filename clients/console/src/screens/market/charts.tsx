import type { CoverageGap, MarketDetail } from '@almanac/client';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { CoverageStrip } from '../../charts/coverage-strip.js';
import { ChartStack } from '../../charts/stack.js';
import { TimeAxis } from '../../charts/time-axis.js';
import { roundedToMs, within } from '../../charts/window.js';
import { useWidth } from '../../charts/use-width.js';
import { Empty } from '../../states/empty.js';
import { Failure } from '../../states/failure.js';
import { Result } from '../../states/result.js';
import { BookPanel } from './book-panel.js';
import { useChartSettings } from './chart-settings.js';
import { CoinChart } from './coin-chart.js';
import { CoverageCard } from './coverage.js';
import type { ChartData, useCoverage } from '../../archive/market-data.js';
import { PointTable } from './point-table.js';
import { PriceChart } from './price-chart.js';
import { Readout } from './readout.js';
import { ChartFoot, Toolbar } from './toolbar.js';
import { TradeList } from './trade-list.js';
import { depthSecondsMax, useDepth } from './use-depth.js';
import type { Alerting } from './use-alerting.js';
import type { Live } from './use-live.js';
import { useShown } from './use-shown.js';
import { TradeTicks, VolumeChart } from './volume-chart.js';
import { volumesOf } from '../../charts/volumes.js';
import { duration } from '../../format/time.js';

export interface ChartsProps {
  readonly detail: MarketDetail;
  readonly overview: ChartData;
  readonly coverage: ReturnType<typeof useCoverage>;
  readonly live: Live;
  readonly alerting: Alerting | undefined;
}

const none = [] as const;

/** Everything of a market that has times, with one window and one cursor. */
export const Charts = (props: ChartsProps): ReactNode => {
  const { detail, coverage } = props;
  const [widthPx, setWidthPx] = useState(0);
  const [settings, setSetting] = useChartSettings();
  const shown = useShown(props, settings, widthPx);
  const { trades, life } = shown;
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
        <ChartCard {...props} {...shown} settings={settings} onSetting={setSetting} onWidth={setWidthPx} />
        {shown.hasBooks ? (
          <div className="market-side">
            <div>
              <BookPanel ticker={detail.market.ticker} at={shown.bookAt} />
              <Trades query={trades} />
            </div>
          </div>
        ) : null}
      </div>
      <PointTable points={shown.points} shown={shown.shown} />
      <div className="columns">
        <Result query={coverage} what="the coverage">
          {(known) => <CoverageCard coverage={known} life={life} onShow={(gap) => showGap(gap, shown)} />}
        </Result>
        {shown.hasBooks ? null : <Trades query={trades} />}
      </div>
    </>
  );
};

type Shown = ReturnType<typeof useShown>;

const Trades = ({ query }: { readonly query: Shown['trades'] }): ReactNode => (
  <Result query={query} what="the trades">
    {({ trades, has_more }) => <TradeList trades={trades} hasMore={has_more} />}
  </Result>
);

const besideGapS = 120;
const beforeGapS = 30;

/** The gap with what is around it, and the cursor before it, where the book is still known. */
const showGap = ({ start_ts, end_ts }: CoverageGap, { nav, cursor, life }: Shown): void => {
  const end = Math.min(end_ts ?? life.to, life.to);
  // In the milliseconds of the address, so that a link shows the same.
  const [from, to] = [roundedToMs(start_ts - besideGapS), roundedToMs(end + besideGapS)];
  nav.view.set(within({ from, to }, nav.limits));
  cursor.set(Math.max(life.from, roundedToMs(start_ts - beforeGapS)));
  document.querySelector('.charts')?.scrollIntoView({ block: 'nearest' });
};

interface ChartCardProps extends ChartsProps, Shown {
  readonly settings: ReturnType<typeof useChartSettings>[0];
  readonly onSetting: ReturnType<typeof useChartSettings>[1];
  readonly onWidth: (px: number) => void;
}

const ChartCard = (props: ChartCardProps): ReactNode => {
  const { detail, coverage, finer, trades, gaps, points, nav, cursor, shown, chart, hasBooks, moment, life, period } =
    props;
  const { settings, onSetting, onWidth, alerting } = props;
  const { market } = detail;
  const card = useRef<HTMLElement>(null);
  useWidth(card, onWidth);
  const marks = useMemo(() => marksOf(market), [market]);
  const shownTrades = trades.data?.has_more === false ? trades.data.trades : none;
  const hasCoin = useMemo(() => points.some(({ coin }) => coin !== null), [points]);
  const volumes = useMemo(
    () => (chart.period_s === 0 ? volumesOf(shownTrades, period) : points),
    [chart.period_s, shownTrades, period, points],
  );
  const hasVolume = useMemo(() => volumes.some(({ volume }) => (volume ?? 0) > 0), [volumes]);
  const isWanted = hasBooks && settings.hasDepth;
  const depth = useDepth({ ticker: market.ticker, shown, gaps, until: market.close_ts ?? Infinity, isWanted });
  const common = { points, gaps, nav, cursor };
  return (
    <section
      ref={card}
      className="card charts"
      aria-label="Chart"
      aria-busy={finer.isFetching}
      data-window={`${shown.from} ${shown.to}`}
      data-depth={depth.image === undefined ? undefined : depth.image.canvas.height}
    >
      <Toolbar {...props} market={market} settings={settings} onSetting={onSetting} hasBooks={hasBooks} chart={chart} />
      <ChartStack nav={nav} cursor={cursor}>
        <Readout points={points} gaps={gaps} cursor={cursor} moment={moment} isLine={settings.kind === 'line'} />
        <PriceChart
          {...common}
          {...{ marks, kind: settings.kind, depth: depth.image, isFull: settings.isFull }}
          lines={alerting?.lines ?? none}
          pick={alerting?.pick}
        />
        {hasVolume ? <VolumeChart {...common} points={volumes} /> : null}
        <TradeTicks {...common} trades={shownTrades} />
        {hasCoin ? <CoinChart {...common} strike={market.floor_strike} /> : null}
        <CoverageStrip
          label="What is recorded of the time in sight"
          times={nav.view}
          life={life}
          gaps={gaps}
          isStated={coverage.data?.covered_share != null}
        />
        <TimeAxis nav={nav} cursor={cursor} />
      </ChartStack>
      <ChartFoot chart={chart} shown={shown} market={market} />
      {isWanted && !depth.isShort ? (
        <p className="hint pad">Order books are drawn in {duration(depthSecondsMax)} or less: select a part.</p>
      ) : null}
      <Failed query={finer} />
      <Failed query={depth} />
    </section>
  );
};

interface FailedProps {
  readonly query: { readonly error: Error | null; readonly refetch: () => unknown };
}

const Failed = ({ query: { error, refetch } }: FailedProps): ReactNode =>
  error === null ? null : <Failure error={error} onRetry={refetch} />;

const marksOf = ({ close_ts, settlement_ts, result }: MarketDetail['market']) => [
  ...(close_ts === null ? [] : [{ ts: close_ts, text: 'close' }]),
  ...(settlement_ts === null ? [] : [{ ts: settlement_ts, text: `settled${result === null ? '' : `: ${result}`}` }]),
];
