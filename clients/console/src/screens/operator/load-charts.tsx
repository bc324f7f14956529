import type { OperatorHistory } from '@almanac/client';
import { type ReactNode, useMemo, useState } from 'react';
import type uPlot from 'uplot';
import type { AlignedData } from 'uplot';
import { axesOf, marginPx } from '../../charts/axes.js';
import { type Colors, lineColor, useThemeName } from '../../charts/colors.js';
import { steps } from '../../charts/draw.js';
import type { Navigation } from '../../charts/navigate.js';
import { createSignal, type Signal } from '../../charts/signal.js';
import { ChartStack } from '../../charts/stack.js';
import { extremesInSight } from '../../charts/steps.js';
import { TimeAxis } from '../../charts/time-axis.js';
import { type ChartOptions, TimeChart } from '../../charts/time-chart.js';
import { useNavigation } from '../../charts/use-navigation.js';
import { isDark } from '../../layout/theme.js';
import { type Figure, figuresOf, valueAtTime } from './figures.js';
import { RunbookOf } from './runbook.js';

const heightPx = 88;
const shownMinS = 3_600;

/** The last day of the system: what it did, how long that took, what waits, and what it needs. */
export const LoadCharts = ({ history }: { readonly history: OperatorHistory }): ReactNode => {
  const figures = useMemo(() => figuresOf(history), [history]);
  const to = history.samples.at(-1)?.ts ?? 0;
  // A system that has just started has a line, too.
  const from = Math.max(to - history.stored_s, Math.min(history.samples[0]?.ts ?? to, to - shownMinS));
  const limits = useMemo(() => ({ from, to }), [from, to]);
  const [{ view, cursor }] = useState(() => ({
    view: createSignal(limits),
    cursor: createSignal<number | undefined>(undefined),
  }));
  const nav = useNavigation(view, limits);
  return (
    <ChartStack nav={nav} cursor={cursor}>
      {figures.map((figure) => (
        <FigureChart key={figure.name} figure={figure} nav={nav} cursor={cursor} />
      ))}
      <TimeAxis nav={nav} cursor={cursor} />
    </ChartStack>
  );
};

interface FigureChartProps {
  readonly figure: Figure;
  readonly nav: Navigation;
  readonly cursor: Signal<number | undefined>;
}

const FigureChart = ({ figure, nav, cursor }: FigureChartProps): ReactNode => {
  const { name, title, ts, series, text, alerts } = figure;
  const theme = useThemeName();
  const data = useMemo(() => [[...ts], ...series.map(({ values }) => [...values])] as AlignedData, [ts, series]);
  const drawn = useMemo(() => figure, [figure]);
  const valueAt = useMemo(
    () => ({ at: (at: number) => valueAtTime(figure, series[0]?.values ?? [], at), text }),
    [figure, series, text],
  );
  const textAt = useMemo(
    () => (at: number) =>
      series
        .map((one) => {
          const value = valueAtTime(figure, one.values, at);
          return `${one.name} ${value === null ? 'unknown' : text(value)}`;
        })
        .join(', '),
    [figure, series, text],
  );
  return (
    <figure className="load" data-figure={name}>
      <figcaption>
        <strong>{title}</strong>
        <span className="load-all">
          {series.map((one, at) => (
            <span key={one.name} className="load-series" data-series={one.name}>
              <i aria-hidden="true" style={{ background: lineColor(at, theme) }} />
              {one.name} <b>{one.last === null ? '–' : text(one.last)}</b>
            </span>
          ))}
        </span>
        <RunbookOf alerts={alerts} />
      </figcaption>
      <TimeChart
        key={series.length}
        name={name}
        label={`${title} of the last day. Arrow keys move the cursor, plus and minus zoom, 0 shows all`}
        textAt={textAt}
        height={heightPx}
        optionsOf={optionsOf}
        nav={nav}
        cursor={cursor}
        valueAt={valueAt}
        data={data}
        drawn={drawn}
      />
    </figure>
  );
};

/** Zero is always in sight: a small change must not look like a large one. */
const range: uPlot.Scale.Range = (plot) => [0, (extremesInSight(plot)?.[1] ?? 0) * 1.15 || 1];

const optionsOf = (colors: Colors, drawn: () => Figure): ChartOptions => {
  const theme = isDark() ? 'dark' : 'light';
  return {
    padding: [6, marginPx, 4, 0],
    scales: { y: { range } },
    axes: axesOf(colors, { valueOf: (value) => drawn().text(value), hasTimes: false }),
    series: [
      {},
      ...drawn().series.map(({ name }, at) => ({
        label: name,
        stroke: lineColor(at, theme),
        width: 1.5,
        points: { show: false },
        paths: steps,
        auto: false,
      })),
    ],
  };
};
