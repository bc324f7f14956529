import type { Market } from '@almanac/client';
import { type ReactNode, useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import type { AlignedData } from 'uplot';
import { axesOf } from '../../charts/axes.js';
import { type Colors, useThemeName } from '../../charts/colors.js';
import { steps } from '../../charts/draw.js';
import { canvasOf, drawImageOf, type PlotImage } from '../../charts/image-layer.js';
import type { Navigation } from '../../charts/navigate.js';
import type { PricePoint } from '../../charts/price-points.js';
import { type Signal, useSignal } from '../../charts/signal.js';
import { type ChartOptions, TimeChart } from '../../charts/time-chart.js';
import { decimal } from '../../format/numbers.js';
import { clockOf, dateTime, localDay } from '../../format/time.js';
import { densityAt, type Distribution, distributionOf, type LadderKind } from './distribution.js';
import { indexAt } from '../../charts/index-at.js';
import { labelsPx } from './event-chart.js';
import type { Line } from './event-data.js';
import { drawLabels } from './line-labels.js';

interface DistributionChartProps {
  readonly kind: LadderKind;
  readonly markets: readonly Market[];
  readonly lines: ReadonlyMap<string, Line>;
  readonly coin: readonly PricePoint[];
  readonly nav: Navigation;
  readonly cursor: Signal<number | undefined>;
}

const heightPx = window.innerWidth < 700 ? 320 : 460;
const rows = 160;

/** What the prices of a ladder say about the value at the settlement: its probable range over time, and the coin itself. */
export const DistributionChart = ({ kind, markets, lines, coin, nav, cursor }: DistributionChartProps): ReactNode => {
  const theme = useThemeName();
  const distribution = useMemo(() => distributionOf(kind, markets, lines), [kind, markets, lines]);
  const coins = useMemo(() => coinsAt(distribution.ts, coin), [distribution, coin]);
  const data = useMemo(() => {
    const { low, median, high } = distribution.quantiles;
    return [[...distribution.ts], [...low], [...median], [...high], coins] as AlignedData;
  }, [distribution, coins]);
  const image = useMemo(() => imageOf(distribution, theme), [distribution, theme]);
  const drawn = useMemo(() => ({ image }), [image]);
  const valueAt = useMemo(
    () => ({ at: (at: number) => valuesAt(distribution, at)?.median, text: (value: number) => rounded(value) }),
    [distribution],
  );
  const textAt = useCallback((at: number) => textOf(distribution, at), [distribution]);
  const shared = { nav, cursor, valueAt, data, drawn, textAt };
  return (
    <>
      <Readout distribution={distribution} coins={coins} cursor={cursor} />
      <TimeChart
        name="distribution"
        label="Implied distribution over time: median and the inner 80 %. Arrow keys move the cursor, plus and minus zoom, Shift and arrows pan, 0 shows all"
        height={heightPx}
        optionsOf={optionsOf}
        {...shared}
      />
    </>
  );
};

/** Values between strikes have no exact digits. */
const rounded = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : decimal(Number(value.toPrecision(6)));

const valuesAt = ({ ts, quantiles }: Distribution, at: number) => {
  const index = indexAt(ts, at);
  if (index < 0) return undefined;
  const { low, median, high } = quantiles;
  return { low: low[index] ?? null, median: median[index] ?? null, high: high[index] ?? null };
};

const textOf = (distribution: Distribution, at: number): string => {
  const { low, median, high } = valuesAt(distribution, at) ?? {};
  return `${dateTime(Math.round(at))}: median ${rounded(median)}, 80 % between ${rounded(low)} and ${rounded(high)}`;
};

/** The coin at each time of the grid. */
const coinsAt = (ts: readonly number[], coin: readonly PricePoint[]): (number | null)[] => {
  let at = -1;
  return ts.map((time) => {
    while (at + 1 < coin.length && (coin[at + 1]?.ts ?? Infinity) <= time) at += 1;
    const point = coin[at];
    return point === undefined || point.ts + point.span_s <= time ? null : point.coin;
  });
};

interface ReadoutProps {
  readonly distribution: Distribution;
  readonly coins: readonly (number | null)[];
  readonly cursor: Signal<number | undefined>;
}

const Readout = ({ distribution, coins, cursor }: ReadoutProps): ReactNode => {
  const { ts, quantiles } = distribution;
  const at = useSignal(cursor) ?? ts[quantiles.median.findLastIndex((value) => value !== null)];
  if (at === undefined) return null;
  const { low, median, high } = valuesAt(distribution, at) ?? {};
  const coin = coins[indexAt(ts, at)] ?? null;
  const values = [
    ['Median', rounded(median), 'mid'],
    ['80 % between', `${rounded(low)} and ${rounded(high)}`],
    ...(coin === null ? [] : [['Coin', rounded(coin), 'coin'] as const]),
  ] as const;
  return (
    <dl className="readout" data-readout={at}>
      <div>
        <dt className="visually-hidden">Time</dt>
        <dd>{`${localDay(at)} ${clockOf(Math.round(at * 1_000) / 1_000)}`}</dd>
      </div>
      {values.map(([name, text, tone]) => (
        <div key={name} data-tone={tone}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
};

const hues = { dark: [132, 164, 255], light: [31, 75, 216] } as const;
const alphaMax = 200;

/** The denser, the stronger: as a share of the densest cell of all, by its root, since the last minutes are far denser. */
const imageOf = ({ ts, survivals }: Distribution, theme: string): PlotImage | undefined => {
  const bounds = survivals.flatMap((survival) => survival?.bounds ?? []);
  const [from, second] = ts;
  const last = ts.at(-1);
  if (from === undefined || last === undefined || bounds.length === 0) return undefined;
  const low = bounds.reduce((least, bound) => Math.min(least, bound), Infinity);
  const high = bounds.reduce((most, bound) => Math.max(most, bound), -Infinity);
  const valueOf = (row: number): number => low + ((row + 0.5) / rows) * (high - low);
  const densities = survivals.map((survival) =>
    Array.from({ length: rows }, (_, row) => (survival === undefined ? Number.NaN : densityAt(survival, valueOf(row)))),
  );
  const most = densities.flat().reduce((top, density) => Math.max(top, density || 0), 0);
  const hue = hues[theme === 'dark' ? 'dark' : 'light'];
  const canvas = canvasOf({
    columns: ts.length,
    rows,
    colorOf: (row, column) => {
      const density = densities[column]?.[row] ?? Number.NaN;
      return Number.isNaN(density) || most === 0 ? undefined : [...hue, Math.sqrt(density / most) * alphaMax];
    },
  });
  return { canvas, window: { from, to: last + ((second ?? from + 1) - from) }, low, high };
};

interface Drawn {
  readonly image: PlotImage | undefined;
}

const optionsOf = (colors: Colors, drawn: () => Drawn): ChartOptions => ({
  padding: [24, labelsPx, 6, 0],
  scales: {
    y: {
      range: () => {
        const { low = 0, high = 1 } = drawn().image ?? {};
        return [low, high];
      },
    },
  },
  axes: axesOf(colors, { valueOf: (value) => decimal(value), hasTimes: false }),
  series: [
    {},
    ...stylesOf(colors).map(([label, stroke, width]) => ({
      label,
      stroke: () => stroke,
      width,
      points: { show: false },
      paths: steps,
      auto: false,
    })),
  ],
  hooks: {
    drawClear: [
      (plot: uPlot) => {
        const { image } = drawn();
        if (image !== undefined) drawImageOf(plot, image);
      },
    ],
    draw: [(plot: uPlot) => drawLabels(plot, endsOf(plot, colors), labelsPx)],
  },
});

const stylesOf = (colors: Colors) =>
  [
    ['10 %', colors['text-faint'], 1],
    ['median', colors.mid, 2],
    ['90 %', colors['text-faint'], 1],
    ['coin', colors.coin, 1.5],
  ] as const;

/** Each line with its name at its end. */
const endsOf = (plot: uPlot, colors: Colors) => {
  const [first, last] = plot.series[0]?.idxs ?? [0, -1];
  return stylesOf(colors).flatMap(([text, color], at) => {
    const values = [...(plot.data[at + 1] ?? [])].slice(first, last + 1);
    const value = values.findLast((one) => typeof one === 'number');
    return typeof value === 'number' ? [{ text, color, value }] : [];
  });
};
