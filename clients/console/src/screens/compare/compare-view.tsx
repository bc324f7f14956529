import type { CoverageGap } from '@almanac/client';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { createSignal } from '../../charts/signal.js';
import { ChartStack } from '../../charts/stack.js';
import { TimeAxis } from '../../charts/time-axis.js';
import { duration, shortTime } from '../../format/time.js';
import { Moves } from '../../charts/moves.js';
import type { Navigation } from '../../charts/navigate.js';
import { Share } from '../../parts/share.js';
import { useFilters } from '../../parts/use-filters.js';
import { differentParts } from '../../parts/titles.js';
import { Failure } from '../../states/failure.js';
import { EventChart, labelsPx } from '../event/event-chart.js';
import type { ChartedGap } from '../event/event-gaps.js';
import { type Aligned, differencesOf } from './aligned.js';
import { DifferenceChart } from './difference-chart.js';
import { Legend } from './legend.js';
import { shiftOf, type Side, useCompared } from './use-compared.js';

/** Both markets on one chart, and their difference below it, with one window and one cursor. */
export const CompareView = ({ sides }: { readonly sides: readonly [Side, Side] }): ReactNode => {
  const [{ y, align }] = useSettings();
  const possibleShift = shiftOf(sides);
  const shift = align === 'close' ? (possibleShift ?? 0) : 0;
  const { nav, cursor, shown, points, aligned, finer } = useCompared(sides, shift);
  const [lifted] = useState(() => createSignal<string | undefined>(undefined));
  const { lines, nameOf, gaps } = useLines(sides, aligned, shift);
  const tickers = lines.map(({ ticker }) => ticker);
  const differences = useMemo(() => differencesOf(aligned), [aligned]);
  const latest = aligned.ts[differences.findLastIndex((value) => value !== null)];
  const shared = { nav, cursor };
  return (
    <section
      className="card charts"
      aria-label="Chart"
      aria-busy={finer.some(({ isFetching }) => isFetching)}
      data-window={`${shown.from} ${shown.to}`}
    >
      <Tools nav={nav} canAlign={possibleShift !== undefined} />
      <Legend sides={sides} points={points} cursor={cursor} latest={latest} />
      <ChartStack {...shared} besidePx={labelsPx}>
        <EventChart {...shared} name="compare" {...{ lines, gaps, nameOf, lifted }} isFull={y === 'full'} />
        <DifferenceChart {...shared} ts={aligned.ts} differences={differences} />
        <TimeAxis {...shared} besidePx={labelsPx} />
      </ChartStack>
      <footer className="toolbar">
        <p className="hint window" role="status">
          {shortTime(Math.round(shown.from))} to {shortTime(Math.round(shown.to))}
          {shift === 0
            ? null
            : ` · the second market is drawn ${duration(Math.abs(shift))} ${shift > 0 ? 'later' : 'earlier'} than it was`}
        </p>
        <div className="tools-end">
          <Share title={titleOf(sides)} id={tickers.join(' and ')} shown={shown} />
        </div>
      </footer>
      {finer.map(({ error, refetch }, at) =>
        error === null ? null : <Failure key={tickers[at]} error={error} onRetry={refetch} />,
      )}
    </section>
  );
};

const useSettings = () => useFilters(['y', 'align']);

/** How both are drawn, and the time in sight. */
const Tools = ({ nav, canAlign }: { readonly nav: Navigation; readonly canAlign: boolean }): ReactNode => {
  const [{ y, align }, set] = useSettings();
  return (
    <header className="toolbar">
      <div className="tools">
        <div className="segments" role="group" aria-label="Axis">
          <button
            type="button"
            aria-pressed={y === 'full'}
            title="Axis of prices from 0 to 1"
            onClick={() => set('y', y === 'full' ? '' : 'full')}
          >
            0–1
          </button>
          {canAlign ? (
            <button
              type="button"
              aria-pressed={align === 'close'}
              title="Draws the second market as if it closed with the first"
              onClick={() => set('align', align === 'close' ? '' : 'close')}
            >
              Align closes
            </button>
          ) : null}
        </div>
        <Moves nav={nav} />
      </div>
    </header>
  );
};

/** The lines of both, with their names and gaps. */
const useLines = (sides: readonly [Side, Side], { ts, prices }: Aligned, shift: number) => {
  const lines = useMemo(
    () => sides.map(({ detail }, at) => ({ ticker: detail.market.ticker, ts, prices: prices[at] ?? [] })),
    [sides, ts, prices],
  );
  const names = useMemo(() => namesOf(sides), [sides]);
  const nameOf = useCallback((ticker: string) => names.get(ticker) ?? ticker, [names]);
  const gaps = useMemo(() => sides.flatMap((side, at) => shadesOf(side.gaps, at === 0 ? 0 : shift)), [sides, shift]);
  return { lines, nameOf, gaps };
};

/** Half as dark as the gap of both. */
const shadesOf = (gaps: readonly CoverageGap[], shift: number): ChartedGap[] =>
  gaps.flatMap((gap) => {
    const { start_ts, end_ts, missing } = gap;
    const shifted = { ...gap, start_ts: start_ts + shift, end_ts: end_ts === null ? null : end_ts + shift };
    return missing === 'all' ? [{ gap: shifted, share: 0.5 }] : [];
  });

const titleOf = (sides: readonly Side[]): string =>
  sides.map(({ detail: { market } }) => market.title ?? market.ticker).join(' and ');

/** What tells the markets apart: their venues, the parts of their titles that differ, or their closes. */
const namesOf = (sides: readonly Side[]): ReadonlyMap<string, string> => {
  const venues = sides.map(({ detail }) => detail.venue ?? '');
  const parts = differentParts(sides.map(({ detail: { market } }) => market.title ?? market.ticker));
  const closes = sides.map(({ detail: { market } }) => (market.close_ts === null ? '' : shortTime(market.close_ts)));
  const isDistinct = (names: readonly string[]): boolean => new Set(names).size === names.length && !names.includes('');
  const names = [venues, parts, closes].find(isDistinct) ?? [];
  return new Map(sides.map(({ detail: { market } }, at) => [market.ticker, names[at] ?? market.ticker]));
};
