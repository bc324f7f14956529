import { type ReactNode, useState } from 'react';
import type { PricePoint } from '../../charts/price-points.js';
import type { Window } from '../../charts/window.js';
import { count, decimal, price } from '../../format/numbers.js';
import { ScrollBox } from '../../parts/scroll-box.js';
import { dateTime } from '../../format/time.js';

const shownMax = 500;

interface PointTableProps {
  readonly points: readonly PricePoint[];
  readonly shown: Window;
}

/** The chart as a table: the same points, for screen readers and for exact numbers. */
export const PointTable = ({ points, shown: { from, to } }: PointTableProps): ReactNode => {
  const [isOpen, setOpen] = useState(false);
  const rows = isOpen
    ? points.filter(({ ts, span_s, bid, ask }) => ts + span_s >= from && ts <= to && (bid ?? ask) !== null)
    : [];
  return (
    <details className="card table-details" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The chart as a table</summary>
      {rows.length > shownMax ? (
        <p className="hint pad">
          The first {count(shownMax)} of {count(rows.length)} points in sight. Zoom in for others.
        </p>
      ) : null}
      <ScrollBox label="Points of the chart" direction="y">
        <table data-table="points">
          <thead>
            <tr>
              <th scope="col">Time</th>
              {['Bid', 'Ask', 'Middle', 'Coin price', 'Volume'].map((name) => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shownMax).map(({ ts, bid, ask, mid, coin, volume }) => (
              <tr key={ts}>
                <td>{dateTime(ts)}</td>
                <td className="number">{price(bid)}</td>
                <td className="number">{price(ask)}</td>
                <td className="number">{price(mid)}</td>
                <td className="number">{decimal(coin)}</td>
                <td className="number">{decimal(volume)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </details>
  );
};
