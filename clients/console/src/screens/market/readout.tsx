import type { CoverageGap } from '@almanac/client';
import type { ReactNode } from 'react';
import type { PricePoint } from '../../charts/price-points.js';
import { type Signal, useSignal } from '../../charts/signal.js';
import { decimal, price } from '../../format/numbers.js';
import { dateTime } from '../../format/time.js';
import { pointAt } from './point-at.js';

interface ReadoutProps {
  readonly points: readonly PricePoint[];
  readonly gaps: readonly CoverageGap[];
  readonly cursor: Signal<number | undefined>;
}

/** The values at the cursor. */
export const Readout = ({ points, gaps, cursor }: ReadoutProps): ReactNode => {
  const at = useSignal(cursor);
  const ts = at ?? points.findLast(({ bid, ask }) => (bid ?? ask) !== null)?.ts;
  if (ts === undefined) return null;
  const point = pointAt(points, ts);
  const gap = gaps.find(({ start_ts, end_ts }) => start_ts < ts && (end_ts ?? Infinity) > ts);
  return (
    <dl className="readout" data-readout={ts}>
      <div>
        <dt>Time</dt>
        <dd>{dateTime(Math.round(ts * 1_000) / 1_000)}</dd>
      </div>
      <div data-tone="bid">
        <dt>Bid</dt>
        <dd>{price(point?.bid)}</dd>
      </div>
      <div data-tone="ask">
        <dt>Ask</dt>
        <dd>{price(point?.ask)}</dd>
      </div>
      <div data-tone="coin">
        <dt>Coin</dt>
        <dd>{decimal(point?.coin)}</dd>
      </div>
      {point?.openInterest === undefined ? null : (
        <div>
          <dt>Open interest</dt>
          <dd>{decimal(point.openInterest)}</dd>
        </div>
      )}
      {point?.venue === undefined ? null : (
        <div data-source="venue">
          <dt>Source</dt>
          <dd>{`candle of ${point.venue}`}</dd>
        </div>
      )}
      {gap === undefined ? null : (
        <div data-tone="gap">
          <dt>Gap</dt>
          <dd>{gap.reason}</dd>
        </div>
      )}
    </dl>
  );
};
