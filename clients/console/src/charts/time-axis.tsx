import { type ReactNode, useMemo } from 'react';
import type { AlignedData } from 'uplot';
import { axesOf, marginPx, timesPx } from './axes.js';
import type { Colors } from './colors.js';
import type { Navigation } from './navigate.js';
import type { Signal } from './signal.js';
import { type ChartOptions, TimeChart } from './time-chart.js';

interface TimeAxisProps {
  readonly nav: Navigation;
  readonly cursor: Signal<number | undefined>;
  readonly besidePx?: number;
}

const noData: AlignedData = [[], []];
const noValue = { at: () => undefined, text: () => '' };

/** The times of all charts above it. */
export const TimeAxis = ({ nav, cursor, besidePx = marginPx }: TimeAxisProps): ReactNode => {
  const drawn = useMemo(() => ({ besidePx }), [besidePx]);
  return (
    <TimeChart
      name="times"
      height={timesPx + 4}
      data={noData}
      drawn={drawn}
      valueAt={noValue}
      optionsOf={optionsOf}
      nav={nav}
      cursor={cursor}
    />
  );
};

const optionsOf = (colors: Colors, drawn: () => { readonly besidePx: number }): ChartOptions => ({
  padding: [0, () => drawn().besidePx, 0, 0],
  cursor: { y: false },
  scales: { y: { range: [0, 1] } },
  axes: axesOf(colors, { valueOf: () => '', hasTimes: true }),
  series: [{}, { show: false, auto: false }],
});
