import type { Market } from '@almanac/client';
import type { ReactNode } from 'react';
import { Moves } from '../../charts/moves.js';
import type { Navigation } from '../../charts/navigate.js';
import { periods } from '../../charts/periods.js';
import type { Signal } from '../../charts/signal.js';
import { type Window, within } from '../../charts/window.js';
import { count } from '../../format/numbers.js';
import { duration, shortTime } from '../../format/time.js';
import { CopyAs } from '../../parts/copy-as.js';
import { Link, paths } from '../../parts/link.js';
import { Share } from '../../parts/share.js';
import { LiveSwitch } from './live-switch.js';
import type { Live } from './use-live.js';
import type { ChartSettings, SetSetting } from './chart-settings.js';
import type { ChartData } from '../../archive/market-data.js';

interface ToolbarProps {
  readonly chart: ChartData;
  readonly settings: ChartSettings;
  readonly onSetting: SetSetting;
  readonly nav: Navigation;
  readonly cursor: Signal<number | undefined>;
  readonly market: Market;
  readonly shown: Window;
  readonly period: number;
  readonly hasBooks: boolean;
  readonly live: Live;
}

const beforeCloseS = 30;
const closeWindowS = 300;

const whatOf = ({ points, period_s }: ChartData): string => {
  const end = points.length === 1 ? '' : 's';
  if (period_s === 0) return `observation${end}`;
  const venue = points.filter((point) => point.venue !== undefined).length;
  return `candle${end} of ${duration(period_s)}${venue === 0 ? '' : `, ${venue} of them the venue's own`}`;
};

/** Kind of the chart and its window: one row. */
export const Toolbar = (props: ToolbarProps): ReactNode => (
  <header className="toolbar">
    <div className="tools">
      <Settings {...props} />
      <LiveSwitch live={props.live} onSwitch={(isOn) => props.onSetting('live', isOn ? 'on' : '')} />
      <MarketMoves {...props} />
    </div>
  </header>
);

type ChartFootProps = Pick<ToolbarProps, 'chart' | 'shown' | 'market'>;

/** What is drawn in words, and what of it can be taken away: its address, its pictures, its numbers and its code. */
export const ChartFoot = ({ chart, shown, market }: ChartFootProps): ReactNode => (
  <footer className="toolbar">
    <p className="hint window" role="status">
      {shortTime(Math.round(shown.from))} to {shortTime(Math.round(shown.to))} · {count(chart.points.length)}{' '}
      {whatOf(chart)}
    </p>
    <div className="tools-end">
      <Link to={paths.compare(market.ticker)} className="button">
        Compare
      </Link>
      <Share title={market.title ?? market.ticker} id={market.ticker} shown={shown} />
      <CopyAs call={chart.call} />
    </div>
  </footer>
);

const Settings = ({ settings, onSetting, period, hasBooks }: ToolbarProps): ReactNode => (
  <>
    <div className="segments" role="group" aria-label="Kind of chart">
      {(['line', 'candles'] as const).map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={settings.kind === name}
          onClick={() => onSetting('kind', name === 'line' ? '' : name)}
        >
          {name === 'line' ? 'Line' : 'Candles'}
        </button>
      ))}
    </div>
    {settings.kind === 'line' ? null : (
      <select
        aria-label="Period of a candle"
        value={settings.period ?? ''}
        onChange={({ target }) => onSetting('period', target.value)}
      >
        <option value="">Auto ({duration(period)})</option>
        {periods.map((one) => (
          <option key={one} value={one}>
            {duration(one)}
          </option>
        ))}
      </select>
    )}
    <div className="segments" role="group" aria-label="Layers">
      <button
        type="button"
        aria-pressed={settings.isFull}
        title="Axis of prices from 0 to 1"
        onClick={() => onSetting('y', settings.isFull ? '' : 'full')}
      >
        0–1
      </button>
      {hasBooks ? (
        <button
          type="button"
          aria-pressed={settings.hasDepth}
          title="Order books behind the prices"
          onClick={() => onSetting('depth', settings.hasDepth ? 'off' : '')}
        >
          Depth
        </button>
      ) : null}
    </div>
  </>
);

const MarketMoves = ({ nav, cursor, market: { close_ts } }: ToolbarProps): ReactNode => {
  const showClose = (close: number): void => {
    nav.view.set(within({ from: close - closeWindowS, to: close + closeWindowS / 10 }, nav.limits));
    cursor.set(close - beforeCloseS);
  };
  return (
    <Moves nav={nav}>
      {close_ts === null || close_ts - beforeCloseS > nav.limits.to ? null : (
        <button type="button" onClick={() => showClose(close_ts)}>
          30 s before close
        </button>
      )}
    </Moves>
  );
};
