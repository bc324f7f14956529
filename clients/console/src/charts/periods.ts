import { lengthOf, type Window } from './window.js';

/** Periods of candles that people know. Each divides a day. */
export const periods = [
  1,
  2,
  5,
  10,
  15,
  30,
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 4, 8, 12, 24].map((hours) => hours * 3_600),
] as const;

/** A candle is as wide as its period, and its body has 0.7 of it: at least 5 pixels. */
const candlePxMin = 8;
export const bodyShare = 0.7;

/** The shortest period whose candles have bodies, on a chart of this width, and not shorter than a chosen one. */
export const periodOf = (shown: Window, widthPx: number, chosen?: number): number => {
  const wide = periods.find((period) => (period / lengthOf(shown)) * widthPx >= candlePxMin) ?? 86_400;
  return Math.max(wide, chosen ?? 0);
};

/** What is in sight with half of it on each side, so that a move has candles at once, in whole periods. */
export const aroundView = ({ from, to }: Window, limits: Window, period: number): Window => {
  const margin = (to - from) / 2;
  return {
    from: Math.floor(Math.max(from - margin, limits.from) / period) * period,
    to: Math.ceil(Math.min(to + margin, limits.to) / period) * period,
  };
};
