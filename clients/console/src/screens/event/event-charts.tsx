import { counted, type Market } from '@almanac/client';
import type { ReactNode } from 'react';
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
import { callOfLines, useCoin } from './event-data.js';
import { SumChart } from './sum-chart.js';
import type { useDrawnLines } from './use-lines.js';

interface EventChartsProps extends Omit<EventChartProps, 'lines'> {
  readonly id: string;
  readonly shown: Window;
  readonly markets: readonly Market[];
  readonly read: ReturnType<typeof useDrawnLines>;
  readonly hasSum: boolean;
  /** Whether something of the chart is still to come. */
  readonly isBusy: boolean;
  readonly children?: ReactNode;
}

const none = [] as const;

/** The chosen markets, the sum of all of them and the coin, with one window and one cursor. */
export const EventCharts = (props: EventChartsProps): ReactNode => {
  const { id, shown, markets, read, hasSum, isBusy, nav, cursor, children, ...chart } = props;
  const asOf = useAsOf();
  const coin = useCoin(markets.find(({ capture }) => capture !== null)?.ticker, shown);
  const { lines, all, error, refetch, isLoading } = read;
  if (error !== null && lines.length === 0) return <Failure error={error} onRetry={refetch} />;
  const shared = { nav, cursor };
  return (
    <section className="card charts" aria-label="Chart" aria-busy={isBusy} data-window={`${shown.from} ${shown.to}`}>
      <header className="toolbar">
        <div className="tools">
          <Moves nav={nav} />
        </div>
      </header>
      {isLoading && lines.length === 0 ? (
        <Loading what="the prices" />
      ) : (
        <ChartStack {...shared} besidePx={labelsPx}>
          <EventChart {...shared} {...chart} lines={lines} />
          {hasSum && all !== undefined ? <SumChart {...shared} lines={all} /> : null}
          {coin.data !== undefined && coin.data.length > 0 ? (
            <CoinChart {...shared} points={coin.data} gaps={none} strike={null} besidePx={labelsPx} />
          ) : null}
          <TimeAxis {...shared} besidePx={labelsPx} />
        </ChartStack>
      )}
      <footer className="toolbar">
        <p className="hint window" role="status">
          {shortTime(shown.from)} to {shortTime(shown.to)} · {lines.length} of {counted(markets.length, 'market')}
        </p>
        <div className="tools-end">
          {children}
          <CopyAs call={callOfLines(id, shown, asOf)} />
        </div>
      </footer>
    </section>
  );
};
