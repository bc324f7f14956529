import type { CatalogueFact } from '@almanac/contracts';
import { type CoinPath, yesCents } from './coin.js';
import type { GeneratedPart } from './part.js';
import { randomFrom, seedOf } from './random.js';
import type { GeneratedRow } from './row.js';
import { clock, hourS, quarterS, stamp } from './times.js';

const crypto = { category: 'crypto', category_label: 'Crypto' };

interface CoinMarket {
  readonly ticker: string;
  readonly series: string;
  readonly openS: number;
  readonly closeS: number;
  readonly strike: number;
  readonly everyS: number;
  readonly books: boolean;
}

/** Unix seconds. A quarter of an hour and a day (UTC) begin at the first two. */
interface Times {
  readonly quarter: number;
  readonly midnight: number;
  readonly nowS: number;
}

/** Markets of the last six hours, and of the last six hours of yesterday. They meet, or overlap, before 6:00. */
const windows = 24;

/** The market of yesterday that has a hole closes so long before midnight. */
const holeBeforeS = 3.5 * hourS;
const hole = { afterOpenS: 300, lengthS: 200 };

export const rollingSeries = ({ quarter, midnight, nowS }: Times, coin: CoinPath): GeneratedPart => {
  const series = 'GENBTC15M';
  const before = (end: number): number[] => Array.from({ length: windows }, (_, index) => end - index * quarterS);
  const closes = [...new Set([...before(midnight), ...before(quarter + quarterS)])].toSorted((a, b) => a - b);
  const markets = closes.map((closeS): CoinMarket => {
    const openS = closeS - quarterS;
    return {
      ticker: rollingTicker(series, closeS),
      series,
      openS,
      closeS,
      strike: coin.at(openS),
      everyS: 2,
      books: true,
    };
  });
  const facts = markets.flatMap((market): CatalogueFact[] => [
    {
      kind: 'event',
      event_ticker: `${series}-${stamp(market.closeS)}`,
      series,
      category: crypto.category,
      title: `Generated: Bitcoin (BTC) up in the 15 minutes to ${clock(market.closeS)}?`,
    },
    coinFact(market, {
      nowS,
      coin,
      event: `${series}-${stamp(market.closeS)}`,
      title: 'Generated: Bitcoin price up in 15 minutes?',
    }),
  ]);
  const label = 'Generated: Bitcoin (BTC) up or down, 15 minutes';
  const holeCloseS = midnight - holeBeforeS;
  const holeStartS = holeCloseS - quarterS + hole.afterOpenS;
  return {
    facts: [{ kind: 'series', id: series, label, shape: 'rolling', ...crypto }, ...facts],
    rows: coinRows(markets, nowS, coin),
    hole: { ticker: rollingTicker(series, holeCloseS), startS: holeStartS, endS: holeStartS + hole.lengthS },
  };
};

const rollingTicker = (series: string, closeS: number): string =>
  `${series}-${stamp(closeS)}-${stamp(closeS).slice(-2)}`;

export const strikeLadder = ({ quarter, nowS }: Omit<Times, 'midnight'>, coin: CoinPath): GeneratedPart => {
  const series = 'GENBTCH';
  const hour = Math.floor(quarter / hourS) * hourS;
  const hours = Array.from({ length: 6 }, (_, index) => hour - (5 - index) * hourS);
  const facts: CatalogueFact[] = [
    { kind: 'series', id: series, label: 'Generated: Bitcoin (BTC) price at the hour', ...crypto },
  ];
  const markets: CoinMarket[] = [];
  for (const openS of hours) {
    const closeS = openS + hourS;
    const event = `${series}-${stamp(closeS).slice(0, -2)}`;
    const title = `Generated: Bitcoin (BTC) price at ${clock(closeS)}`;
    facts.push({ kind: 'event', event_ticker: event, series, category: crypto.category, title });
    for (let step = -4; step <= 4; step += 1) {
      const strike = 95_999.99 + step * 100;
      const ticker = `${event}-T${strike.toFixed(2)}`;
      const market = { ticker, series, openS, closeS, strike, everyS: 10, books: false };
      markets.push(market);
      facts.push(
        coinFact(market, { nowS, coin, event, title: `Generated: Bitcoin at or above ${strike.toFixed(2)}?` }),
      );
    }
  }
  return { facts, rows: coinRows(markets, nowS, coin) };
};

const coinFact = (
  market: CoinMarket,
  { nowS, coin, event, title }: { nowS: number; coin: CoinPath; event: string; title: string },
): CatalogueFact => {
  const { ticker, series, openS, closeS, strike } = market;
  const end = coin.at(closeS);
  const settled = {
    result: end >= strike ? 'yes' : 'no',
    expiration_value: end.toFixed(2),
    coin_price_end: end.toFixed(2),
    settlement_us: (closeS + 13) * 1e6,
  };
  return {
    kind: 'market',
    ticker,
    series,
    event_ticker: event,
    title,
    ...crypto,
    capture: market.books ? 'l2' : 'top',
    strike_type: 'greater_or_equal',
    floor_strike: strike.toFixed(2),
    open_us: openS * 1e6,
    close_us: closeS * 1e6,
    coin_price_start: coin.at(openS).toFixed(2),
    ...(closeS <= nowS ? settled : {}),
  };
};

function* coinRows(markets: readonly CoinMarket[], nowS: number, coin: CoinPath): Generator<GeneratedRow> {
  for (const { ticker, series, openS, closeS, strike, everyS, books } of markets) {
    const random = randomFrom(seedOf(ticker));
    for (let second = openS; second < Math.min(closeS, nowS); second += everyS) {
      const coinPrice = coin.at(second);
      const mid = yesCents(coinPrice, strike, closeS - second);
      const bidCents = Math.max(1, mid - 1);
      const askCents = Math.min(99, Math.max(bidCents + 1, mid + 1));
      const sizes = books ? Array.from({ length: 10 }, () => 10 + Math.floor(random() * 490)) : null;
      yield { ticker, series, second, bidCents, askCents, coinPrice, sizes };
    }
  }
}
