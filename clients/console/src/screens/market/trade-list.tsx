import type { Trade } from '@almanac/client';
import type { ReactNode } from 'react';
import { count, decimal, price } from '../../format/numbers.js';
import { ScrollBox } from '../../parts/scroll-box.js';
import { clockOf, dateTime, localDay } from '../../format/time.js';

const shownMax = 200;

interface TradeListProps {
  readonly trades: readonly Trade[];
  readonly hasMore: boolean;
}

/** Clocks, with the day at the first one and where it changes. */
const clockAfter = (ts: number, before: number | undefined): string =>
  before !== undefined && localDay(before) === localDay(ts) ? clockOf(ts) : `${localDay(ts).slice(5)} ${clockOf(ts)}`;

/** The trades of the time in sight. */
export const TradeList = ({ trades, hasMore }: TradeListProps): ReactNode => (
  <section className="card trades" aria-label="Trades">
    <header>
      <h2>Trades</h2>
      <span className="hint">
        {hasMore ? `More than ${count(trades.length)} in sight: zoom in` : `${count(trades.length)} in sight`}
      </span>
    </header>
    {trades.length === 0 ? (
      <p className="body hint">No trade is stored in this time.</p>
    ) : (
      <ScrollBox label="List of trades" direction="y">
        <table>
          <thead>
            <tr>
              <th scope="col" className="number">
                Time
              </th>
              <th scope="col" className="number">
                Price
              </th>
              <th scope="col" className="number">
                Contracts
              </th>
              <th scope="col">Taker bought</th>
            </tr>
          </thead>
          <tbody>
            {trades.slice(0, shownMax).map(({ trade_id, ts, price: at, size, taker_side }, row) => (
              <tr key={trade_id}>
                <td className="number" title={dateTime(ts)}>
                  {clockAfter(ts, trades[row - 1]?.ts)}
                </td>
                <td className="number">{price(at)}</td>
                <td className="number">{decimal(size)}</td>
                <td>{taker_side ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    )}
  </section>
);
