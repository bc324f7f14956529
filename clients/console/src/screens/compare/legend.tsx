import type { ReactNode } from 'react';
import { lineColor, useThemeName } from '../../charts/colors.js';
import type { PricePoint } from '../../charts/price-points.js';
import { type Signal, useSignal } from '../../charts/signal.js';
import { price } from '../../format/numbers.js';
import { dateTime } from '../../format/time.js';
import { MarketLink } from '../../parts/market-link.js';
import { Status } from '../../parts/status.js';
import { pointAt } from '../market/point-at.js';
import { differenceOf, priceOf } from './aligned.js';
import { signed } from './difference-chart.js';
import type { Side } from './use-compared.js';

interface LegendProps {
  readonly sides: readonly [Side, Side];
  readonly points: readonly [readonly PricePoint[], readonly PricePoint[]];
  readonly cursor: Signal<number | undefined>;
  /** The time that is shown without a cursor. */
  readonly latest: number | undefined;
}

/** Both markets with the colours of their lines, and their values at the cursor. */
export const Legend = ({ sides, points, cursor, latest }: LegendProps): ReactNode => {
  const ts = useSignal(cursor) ?? latest;
  const known = points.map((all) => (ts === undefined ? undefined : pointAt(all, ts)));
  const [one, other] = known.map((point) => (point === undefined ? null : priceOf(point)));
  const difference = differenceOf(one, other);
  return (
    <table className="compare-legend" data-legend={ts}>
      <caption>
        <span>
          {ts === undefined ? 'No price of both is known at one time' : dateTime(Math.round(ts * 1_000) / 1_000)}
        </span>
        <span data-difference={difference}>
          First minus second <strong>{signed(difference)}</strong>
        </span>
      </caption>
      <thead>
        <tr>
          <th scope="col">Market</th>
          <th scope="col" className="compare-wide">
            Venue
          </th>
          <th scope="col" className="compare-wide">
            Status
          </th>
          <th scope="col" className="number">
            Bid
          </th>
          <th scope="col" className="number">
            Ask
          </th>
          <th scope="col" className="number">
            Price
          </th>
        </tr>
      </thead>
      <tbody>
        {sides.map((side, at) => (
          <SideRow key={side.detail.market.ticker} side={side} at={at} point={known[at]} />
        ))}
      </tbody>
    </table>
  );
};

interface SideRowProps {
  readonly side: Side;
  readonly at: number;
  readonly point: PricePoint | undefined;
}

const SideRow = ({ side: { detail }, at, point }: SideRowProps): ReactNode => {
  const theme = useThemeName();
  const { market, venue } = detail;
  return (
    <tr data-side={at}>
      <td>
        <span className="compare-name">
          <span className="swatch" style={{ background: lineColor(at, theme) }} aria-hidden="true" />
          <MarketLink ticker={market.ticker} title={market.title} />
        </span>
      </td>
      <td className="compare-wide">{venue ?? '–'}</td>
      <td className="compare-wide">
        <Status status={market.status} result={market.result} />
      </td>
      <td className="number">{price(point?.bid)}</td>
      <td className="number">{price(point?.ask)}</td>
      <td className="number">
        <strong>{price(point && priceOf(point))}</strong>
      </td>
    </tr>
  );
};
