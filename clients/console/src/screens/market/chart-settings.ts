import { useMemo } from 'react';
import { useFilters } from '../../parts/use-filters.js';
import { periods } from '../../charts/periods.js';

/** How the charts of a market are drawn. All of it is in the address. */
export interface ChartSettings {
  readonly kind: 'line' | 'candles';
  /** The chosen period of candles. Undefined: by the width of the chart. */
  readonly period: number | undefined;
  /** Whether the axis of prices is from 0 to 1. */
  readonly isFull: boolean;
  /** Whether order books are drawn behind prices. */
  readonly hasDepth: boolean;
  /** Whether a market that is open is followed. */
  readonly isLive: boolean;
}

export type SetSetting = (name: 'kind' | 'period' | 'y' | 'depth' | 'live', value: string) => void;

export const useChartSettings = (): [ChartSettings, SetSetting] => {
  const [given, set] = useFilters(['kind', 'period', 'y', 'depth', 'live']);
  const { kind, period, y, depth, live } = given;
  const settings = useMemo(
    () => ({
      kind: kind === 'candles' ? ('candles' as const) : ('line' as const),
      period: periods.find((one) => String(one) === period),
      isFull: y === 'full',
      hasDepth: depth !== 'off',
      isLive: live === 'on',
    }),
    [kind, period, y, depth, live],
  );
  return [settings, set];
};
