import type { MarketDetail } from '@almanac/client';
import type { ReactNode } from 'react';
import { decimal } from '../../format/numbers.js';
import { dateTime } from '../../format/time.js';

/** The terms and the outcome of a market. */
export const Facts = ({ detail }: { readonly detail: MarketDetail }): ReactNode => {
  const { market, volume, trades_n, tick_size } = detail;
  const facts: readonly (readonly [string, string | null])[] = [
    ['Opens', dateTime(market.open_ts)],
    ['Closes', dateTime(market.close_ts)],
    ['Settled', market.settlement_ts === null ? null : dateTime(market.settlement_ts)],
    ['Strike', market.floor_strike === null ? null : decimal(market.floor_strike)],
    ['Settled on', market.expiration_value === null ? null : decimal(market.expiration_value)],
    ['Coin at open', market.coin_price_start === null ? null : decimal(market.coin_price_start)],
    ['Coin at close', market.coin_price_end === null ? null : decimal(market.coin_price_end)],
    ['Volume', volume === null ? null : `${decimal(volume)} contracts`],
    ['Trades', trades_n === null ? null : decimal(trades_n)],
    ['Tick', tick_size === null ? null : decimal(tick_size.value)],
  ];
  return (
    <dl className="fact-row">
      {facts.map(([name, value]) =>
        value === null || value === '–' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
};
