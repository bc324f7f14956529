import type { MarketFact } from '../../model/market-fact.js';
import { kalshiTickerTime, tickerTime } from '../../values/ticker-time.js';

/**
 * The fact in a Kalshi ticker. `KXBTC15M-26MAY140915-15` belongs to the series before the first hyphen and the event
 * before the last one, closes at 09:15 US Eastern, and opened 15 minutes earlier.
 */
export const kalshiFactOf = (ticker: string): MarketFact => {
  const series = ticker.split('-', 1)[0] ?? '';
  const event = ticker.slice(0, Math.max(0, ticker.lastIndexOf('-')));
  const closeUs = tickerTime(ticker, closes, 'America/New_York');
  const minutes = Number(length.exec(series)?.[1] ?? NaN);
  return {
    kind: 'market',
    ticker,
    ...(event !== '' && { series, event_ticker: event }),
    ...(coins.test(series) && { category: 'crypto', category_label: 'Crypto' }),
    ...(closeUs !== null && { close_us: closeUs }),
    ...(closeUs !== null && minutes > 0 && { open_us: closeUs - minutes * 60_000_000 }),
  };
};

/**
 * The fact of a source that names only a market. `KXFED-25DEC-T4.5` shows its series and event. Another ticker, such as
 * `KXELONMARS-99`, shows neither for certain, and a guess would replace what the catalogue says.
 */
export const certainFactOf = (ticker: string): MarketFact =>
  /^KX[A-Z0-9]+-\d\d[A-Z0-9]*-[^-]+$/.test(ticker) ? kalshiFactOf(ticker) : { kind: 'market', ticker };

const closes = new RegExp(kalshiTickerTime);
const length = /(\d{1,3})M$/;
const coins = /^KX(?:BTC|ETH|SOL|XRP|DOGE|BNB|HYPE)(?:D|\d+M)?$/;
