import type { CoverageGap } from '@almanac/client';
import type { ReactNode } from 'react';
import type { PricePoint } from '../../charts/price-points.js';
import { type Signal, useSignal } from '../../charts/signal.js';
import { decimal, price } from '../../format/numbers.js';
import { clockOf, localDay } from '../../format/time.js';
import { zoneName } from '../../format/zone.js';
import { pointAt } from './point-at.js';

interface ReadoutProps {
  readonly points: readonly PricePoint[];
  readonly gaps: readonly CoverageGap[];
  readonly cursor: Signal<number | undefined>;
  /** Without a cursor: the last moment that is known. */
  readonly moment: number | undefined;
  readonly isLine: boolean;
}

type Value = readonly [name: string, text: string, tone?: string];

/** Difference of two decimals without its noise. */
export const spreadOf = ({ bid, ask }: Pick<PricePoint, 'bid' | 'ask'>): number | null =>
  bid === null || ask === null ? null : Math.round((ask - bid) * 1e8) / 1e8;

const lineValues = (point: PricePoint | undefined): Value[] => [
  ['Bid', price(point?.bid), 'bid'],
  ['Ask', price(point?.ask), 'ask'],
  ['Spread', price(point && spreadOf(point))],
];

const candleValues = (point: PricePoint | undefined): Value[] => [
  ['O', price(point?.open)],
  ['H', price(point?.high)],
  ['L', price(point?.low)],
  ['C', price(point?.mid)],
];

const valuesOf = (point: PricePoint | undefined, isLine: boolean, gap: CoverageGap | undefined): Value[] => [
  ...(isLine ? lineValues(point) : candleValues(point)),
  ...(point?.volume == null ? [] : [['Volume', decimal(point.volume)] as const]),
  ...(point?.coin == null ? [] : [['Coin', decimal(point.coin), 'coin'] as const]),
  ...(point?.openInterest === undefined ? [] : [['Open interest', decimal(point.openInterest)] as const]),
  ...(gap === undefined ? [] : [['Gap', gap.reason, 'gap'] as const]),
];

/** The values at the cursor, in the corner of the price chart. */
export const Readout = ({ points, gaps, cursor, moment, isLine }: ReadoutProps): ReactNode => {
  const at = useSignal(cursor);
  const ts = at ?? moment ?? points.findLast(({ bid, ask, mid }) => (bid ?? ask ?? mid) !== null)?.ts;
  if (ts === undefined) return null;
  const point = pointAt(points, ts);
  const gap = gaps.find(({ start_ts, end_ts }) => start_ts < ts && (end_ts ?? Infinity) > ts);
  return (
    <dl className="readout" data-readout={ts}>
      <div>
        <dt className="visually-hidden">Time</dt>
        <dd>{`${localDay(ts)} ${clockOf(Math.round(ts * 1_000) / 1_000)} ${zoneName(ts)}`}</dd>
      </div>
      {valuesOf(point, isLine, gap).map(([name, text, tone]) => (
        <div key={name} data-tone={tone}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
      {point?.venue === undefined ? null : (
        <div data-source="venue">
          <dt>Source</dt>
          <dd>{`candle of ${point.venue}`}</dd>
        </div>
      )}
    </dl>
  );
};
