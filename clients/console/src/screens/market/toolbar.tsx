import type { Market } from '@almanac/client';
import type { ReactNode } from 'react';
import { type Navigation, navigateByKey } from '../../charts/navigate.js';
import type { Signal } from '../../charts/signal.js';
import { type Window, within } from '../../charts/window.js';
import { count } from '../../format/numbers.js';
import { dateTime, duration } from '../../format/time.js';
import { CopyAs } from '../../parts/copy-as.js';
import type { ChartData } from './market-data.js';

interface ToolbarProps {
  readonly chart: ChartData;
  readonly kind: 'line' | 'candles';
  readonly onKind: (kind: 'line' | 'candles') => void;
  readonly nav: Navigation;
  readonly cursor: Signal<number | undefined>;
  readonly market: Market;
  readonly shown: Window;
}

const beforeCloseS = 30;
const closeWindowS = 300;

const moves = [
  { sign: '◀', label: 'Earlier', key: 'ArrowLeft' },
  { sign: '▶', label: 'Later', key: 'ArrowRight' },
  { sign: '−', label: 'Zoom out', key: '-' },
  { sign: '+', label: 'Zoom in', key: '+' },
] as const;

const whatOf = ({ points, period_s }: ChartData): string => {
  const end = points.length === 1 ? '' : 's';
  if (period_s === 0) return `observation${end}`;
  const venue = points.filter((point) => point.venue !== undefined).length;
  return `candle${end} of ${duration(period_s)}${venue === 0 ? '' : `, ${venue} of them the venue's own`}`;
};

/** Kind of the chart, its window, and the code of exactly what is shown. */
export const Toolbar = ({ chart, kind, onKind, nav, cursor, market, shown }: ToolbarProps): ReactNode => {
  const { close_ts } = market;
  const showClose = (close: number): void => {
    nav.view.set(within({ from: close - closeWindowS, to: close + closeWindowS / 10 }, nav.limits));
    cursor.set(close - beforeCloseS);
  };
  return (
    <header className="toolbar">
      <div className="segments" role="group" aria-label="Kind of chart">
        {(['line', 'candles'] as const).map((name) => (
          <button key={name} type="button" aria-pressed={kind === name} onClick={() => onKind(name)}>
            {name === 'line' ? 'Line' : 'Candles'}
          </button>
        ))}
      </div>
      <div className="segments" role="group" aria-label="Time in sight">
        {moves.map(({ sign, label, key }) => (
          <button
            key={key}
            type="button"
            aria-label={label}
            title={label}
            onClick={() => navigateByKey(key, true, nav)}
          >
            <span aria-hidden="true">{sign}</span>
          </button>
        ))}
        <button type="button" onClick={() => nav.view.set(nav.limits)}>
          Whole life
        </button>
        {close_ts === null || close_ts - beforeCloseS > nav.limits.to ? null : (
          <button type="button" onClick={() => showClose(close_ts)}>
            30 s before close
          </button>
        )}
      </div>
      <p className="hint window" role="status">
        {dateTime(Math.round(shown.from))} to {dateTime(Math.round(shown.to))} · {count(chart.points.length)}{' '}
        {whatOf(chart)}
      </p>
      <CopyAs call={chart.call} />
    </header>
  );
};
