import type { Market } from '@almanac/client';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { useThemeName } from '../../charts/colors.js';
import { navigateByKey } from '../../charts/navigate.js';
import { createSignal } from '../../charts/signal.js';
import { useSettled } from '../../charts/use-settled.js';
import { isSame, outward, type Window, withMargin } from '../../charts/window.js';
import { dateTime } from '../../format/time.js';
import { CopyAs } from '../../parts/copy-as.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { CoinChart } from '../market/coin-chart.js';
import { EventChart, Legend } from './event-chart.js';
import { callOfLines, type Line, mostOpen, useCoin, useLines } from './event-data.js';

interface EventChartsProps {
  readonly id: string;
  readonly life: Window;
  readonly markets: readonly Market[];
  /** Undefined: those that the chart chooses. */
  readonly chosen: readonly string[] | undefined;
  readonly onDrawn: (tickers: readonly string[]) => void;
  readonly titleOf: (ticker: string) => string;
}

const viewPauseMs = 200;
const none = [] as const;

/** The chosen markets and the coin, with one window and one cursor. */
export const EventCharts = (props: EventChartsProps): ReactNode => {
  const { id, life, markets, titleOf } = props;
  const asOf = useAsOf();
  const theme = useThemeName();
  const limits = useMemo(() => withMargin(life), [life]);
  const [{ view, cursor }] = useState(() => ({
    view: createSignal<Window>(limits),
    cursor: createSignal<number | undefined>(undefined),
  }));
  const settled = useSettled(view, viewPauseMs);
  const shown = useMemo(() => (isSame(settled, limits) ? life : clip(outward(settled), life)), [settled, limits, life]);
  const { lines, error, refetch, isLoading } = useChosenLines(props, shown);
  const coin = useCoin(markets.find(({ capture }) => capture !== null)?.ticker, shown);
  const nav = useMemo(() => ({ view, limits }), [view, limits]);
  if (error !== null && lines.length === 0) return <Failure error={error} onRetry={refetch} />;
  return (
    <section className="card charts" aria-label="Chart" aria-busy={isLoading} data-window={`${shown.from} ${shown.to}`}>
      <header className="toolbar">
        <div className="segments" role="group" aria-label="Time in sight">
          {moves.map(([sign, label, key]) => (
            <button key={key} type="button" aria-label={label} onClick={() => navigateByKey(key, true, nav)}>
              <span aria-hidden="true">{sign}</span>
            </button>
          ))}
          <button type="button" onClick={() => view.set(limits)}>
            Whole life
          </button>
        </div>
        <CopyAs call={callOfLines(id, shown, asOf)} />
        <p className="hint window" role="status">
          {dateTime(shown.from)} to {dateTime(shown.to)}
        </p>
      </header>
      {isLoading && lines.length === 0 ? (
        <Loading what="the prices" />
      ) : (
        <>
          <Legend lines={lines} cursor={cursor} titleOf={titleOf} theme={theme} />
          <EventChart lines={lines} view={view} limits={limits} cursor={cursor} />
        </>
      )}
      {coin.data !== undefined && coin.data.length > 0 ? (
        <CoinChart points={coin.data} gaps={none} strike={null} view={view} limits={limits} cursor={cursor} />
      ) : null}
    </section>
  );
};

const moves = [
  ['◀', 'Earlier', 'ArrowLeft'],
  ['▶', 'Later', 'ArrowRight'],
  ['−', 'Zoom out', '-'],
  ['+', 'Zoom in', '+'],
] as const;

/** The API answers times within the life of the event. */
const clip = ({ from, to }: Window, life: Window): Window => ({
  from: Math.min(Math.max(from, life.from), life.to - 1),
  to: Math.max(Math.min(to, life.to), life.from + 1),
});

/** Reads pages until every chosen market is among them. Lines of the window before stay until those of the next are there. */
const useChosenLines = ({ id, chosen, onDrawn }: EventChartsProps, shown: Window) => {
  const { rows, hasMore, error, loadMore, refetch } = useLines(id, shown);
  const [before, setBefore] = useState<readonly Line[]>(none);
  const [choice, setChoice] = useState<readonly string[]>();
  if (rows !== undefined && choice === undefined) setChoice(mostOpen(rows));
  const tickers = chosen ?? choice;
  const byTicker = useMemo(() => new Map((rows ?? none).map((line) => [line.ticker, line])), [rows]);
  const isMissing = rows !== undefined && (tickers ?? none).some((ticker) => !byTicker.has(ticker));
  useEffect(() => {
    if (isMissing && hasMore && error === null) void loadMore();
  }, [isMissing, hasMore, error, loadMore]);
  const lines = useMemo(() => (tickers ?? none).flatMap((ticker) => byTicker.get(ticker) ?? none), [tickers, byTicker]);
  if (rows !== undefined && lines !== before) setBefore(lines);
  useEffect(() => {
    if (tickers !== undefined) onDrawn(tickers);
  }, [tickers, onDrawn]);
  return { lines: rows === undefined ? before : lines, error, refetch, isLoading: rows === undefined || isMissing };
};
