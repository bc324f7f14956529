import { counted, type Market } from '@almanac/client';
import { type ReactNode, useMemo } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { Moves } from '../../charts/moves.js';
import { ChartStack } from '../../charts/stack.js';
import { TimeAxis } from '../../charts/time-axis.js';
import type { Window } from '../../charts/window.js';
import { shortTime } from '../../format/time.js';
import { CopyAs } from '../../parts/copy-as.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { CoinChart } from '../market/coin-chart.js';
import { EventChart, type EventChartProps, labelsPx } from './event-chart.js';
import { callOfLines, type Line, useCoin } from './event-data.js';
import { DistributionChart } from './distribution-chart.js';
import type { LadderKind } from './distribution.js';
import { HeatmapChart } from './heatmap-chart.js';
import { SumChart } from './sum-chart.js';
import type { PricePoint } from '../../charts/price-points.js';
import type { useDrawnLines } from './use-lines.js';

export type EventChartKind = 'lines' | 'heatmap' | 'distribution';
const kindNames = { lines: 'Lines', heatmap: 'Heatmap', distribution: 'Distribution' } as const;

interface EventChartsProps extends Omit<EventChartProps, 'lines'> {
  readonly id: string;
  readonly shown: Window;
  readonly markets: readonly Market[];
  readonly read: ReturnType<typeof useDrawnLines>;
  readonly hasSum: boolean;
  readonly kind: EventChartKind;
  /** Those that the event can have. */
  readonly kinds: readonly EventChartKind[];
  readonly onKind: (kind: EventChartKind) => void;
  readonly ladderKind: LadderKind | undefined;
  /** Whether something of the chart is still to come. */
  readonly isBusy: boolean;
  readonly children?: ReactNode;
}

const none = [] as const;

/** The chosen markets, the sum of all of them and the coin, with one window and one cursor. */
export const EventCharts = (props: EventChartsProps): ReactNode => {
  const { id, shown, markets, read, kind, isBusy, nav, cursor, children } = props;
  const asOf = useAsOf();
  const { lines, byTicker, error, refetch, isLoading } = read;
  const coin = useCoin(isLoading ? undefined : markets.find(({ capture }) => capture !== null)?.ticker, shown);
  if (error !== null && lines.length === 0) return <Failure error={error} onRetry={refetch} />;
  const shared = { nav, cursor };
  return (
    <section className="card charts" aria-label="Chart" aria-busy={isBusy} data-window={`${shown.from} ${shown.to}`}>
      <header className="toolbar">
        <div className="tools">
          <Kinds {...props} />
          <Moves nav={nav} />
        </div>
      </header>
      {error === null ? null : <Failure error={error} onRetry={refetch} />}
      {isLoading && (kind === 'lines' ? lines.length : byTicker.size) === 0 ? (
        <Loading what="the prices" />
      ) : (
        <ChartStack {...shared} besidePx={labelsPx}>
          <Chart {...props} coin={coin.data ?? none} />
          <TimeAxis {...shared} besidePx={labelsPx} />
        </ChartStack>
      )}
      <footer className="toolbar">
        <p className="hint window" role="status">
          {shortTime(shown.from)} to {shortTime(shown.to)} · {kind === 'lines' ? lines.length : byTicker.size} of{' '}
          {counted(markets.length, 'market')}
        </p>
        <div className="tools-end">
          {children}
          <CopyAs call={callOfLines(id, shown, asOf)} />
        </div>
      </footer>
    </section>
  );
};

const Kinds = ({ kind, kinds, onKind }: EventChartsProps): ReactNode =>
  kinds.length < 2 ? null : (
    <div className="segments" role="group" aria-label="Kind of chart">
      {kinds.map((name) => (
        <button key={name} type="button" aria-pressed={kind === name} onClick={() => onKind(name)}>
          {kindNames[name]}
        </button>
      ))}
    </div>
  );

/** A market has its row from the start, so that rows do not move while prices arrive. */
const unread = (ticker: string): Line => ({ ticker, ts: none, prices: none });

/** The chosen chart, with what belongs to it. */
const Chart = (props: EventChartsProps & { readonly coin: readonly PricePoint[] }): ReactNode => {
  const { kind, read, hasSum, markets, coin, gaps, nameOf, lifted, nav, cursor, ladderKind } = props;
  const { lines, all, byTicker } = read;
  const rows = useMemo(() => markets.map(({ ticker }) => byTicker.get(ticker) ?? unread(ticker)), [byTicker, markets]);
  const shared = { nav, cursor };
  if (kind === 'distribution' && ladderKind !== undefined)
    return <DistributionChart {...shared} kind={ladderKind} markets={markets} lines={byTicker} coin={coin} />;
  return (
    <>
      {kind === 'heatmap' ? (
        <HeatmapChart {...shared} lines={rows} nameOf={nameOf} lifted={lifted} />
      ) : (
        <EventChart {...shared} lines={lines} gaps={gaps} nameOf={nameOf} lifted={lifted} />
      )}
      {hasSum && all !== undefined ? <SumChart {...shared} lines={all} /> : null}
      {coin.length > 0 ? <CoinChart {...shared} points={coin} gaps={none} strike={null} besidePx={labelsPx} /> : null}
    </>
  );
};
