import type uPlot from 'uplot';
import type { Colors } from './colors.js';

/** Time in UTC below, values at the left. */
export const axesOf = (colors: Colors, valueOf: (value: number) => string): uPlot.Axis[] => {
  const shared = {
    stroke: colors['text-soft'],
    font: '12px system-ui, sans-serif',
    grid: { stroke: colors.grid, width: 1 },
    ticks: { show: false },
  };
  return [
    { ...shared, space: 90, values: timeValues, size: 30 },
    { ...shared, size: 62, space: 34, values: (_plot, values) => values.map(valueOf) },
  ];
};

/** ISO-like times in UTC: the day only where it changes. */
const timeValues: uPlot.Axis.Values = (_plot, splits, ...[, , increment]) => {
  let day = '';
  return splits.map((ts) => {
    const iso = new Date(ts * 1_000).toISOString();
    const date = iso.slice(5, 10);
    if (increment >= 86_400) return iso.slice(0, 10);
    const clock = increment >= 60 ? iso.slice(11, 16) : iso.slice(11, increment >= 1 ? 19 : 23);
    const text = date === day ? clock : `${date} ${clock}`;
    day = date;
    return text;
  });
};
