import { type CatalogueFact, coinPriceAgeUsMax, dayUs, tickersOfCoin } from '@almanac/contracts';
import type { Archive, CoinArchive, ObservationBatch } from '../archive.js';
import { copyText } from '../values/copy-text.js';
import { pages } from './pages.js';

interface Window {
  fromUs: number;
  toUs: number;
}

/** Series in memory. The times of further ones count for all coins. */
const seriesMax = 10_000;
const factsMax = 500;

const everySeries = '';

/**
 * What an import stored that may need prices of coins, or has them. At its end, markets and prices are joined: an observation, an
 * open or a close without a coin price gets the last one before it, whichever of the two was imported first.
 */
export class CoinJoins {
  /** By the start of tickers, such as `KXBTC15M-`. */
  private readonly series = new Map<string, Window>();
  private readonly coins = new Map<string, Window>();

  constructor(
    private readonly archive: Archive,
    private readonly onLine: (line: string) => void,
  ) {}

  seeBatch({ columns, markets }: ObservationBatch): void {
    if (columns === 'trades' || columns === 'candles') return;
    for (const { ticker, min_us: fromUs, max_us: toUs } of markets)
      if (columns === 'coins') widen(this.coins, ticker, { fromUs, toUs: toUs + coinPriceAgeUsMax });
      else this.seeMarket(ticker, { fromUs, toUs });
  }

  seeFacts(facts: readonly CatalogueFact[]): void {
    for (const fact of facts) {
      if (fact.kind !== 'market') continue;
      for (const us of [fact.open_us, fact.close_us])
        if (typeof us === 'number') this.seeMarket(fact.ticker, { fromUs: us, toUs: us });
    }
  }

  /**
   * Joins each coin with prices, and tells whether there was anything to join. A repeated join changes nothing, so an import that
   * stopped is continued by the next one.
   */
  async join(): Promise<boolean> {
    const { coins } = this.archive;
    if (coins === undefined || (this.series.size === 0 && this.coins.size === 0)) return false;
    for (const { coin, min_us, max_us } of await coins.known()) {
      const window = this.windowOf(coin);
      const [fromUs, toUs] = [Math.max(window.fromUs, min_us), Math.min(window.toUs, max_us + coinPriceAgeUsMax)];
      if (fromUs > toUs) continue;
      const { rows, markets } = await joinDays(this.archive, coins, { coin, fromUs, toUs });
      if (rows > 0)
        this.onLine(
          `${coin}: ${number.format(rows)} observations of ${number.format(markets)} markets got a coin price`,
        );
    }
    this.series.clear();
    this.coins.clear();
    return true;
  }

  private seeMarket(ticker: string, window: Window): void {
    const start = ticker.slice(0, ticker.indexOf('-') + 1);
    if (start === '') return;
    if (this.series.has(start)) widen(this.series, start, window);
    else widen(this.series, this.series.size < seriesMax ? copyText(start) : everySeries, window);
  }

  private windowOf(coin: string): Window {
    const pattern = new RegExp(tickersOfCoin(coin).pattern);
    const own = Array.from(this.series).filter(([start]) => start === everySeries || pattern.test(start));
    const all = [this.coins.get(coin), ...own.map(([, window]) => window)].filter((window) => window !== undefined);
    return {
      fromUs: Math.min(...all.map(({ fromUs }) => fromUs)),
      toUs: Math.max(...all.map(({ toUs }) => toUs)),
    };
  }
}

const number = new Intl.NumberFormat('en-US');

const widen = (windows: Map<string, Window>, key: string, { fromUs, toUs }: Window): void => {
  const known = windows.get(key);
  if (known === undefined) return void windows.set(key, { fromUs, toUs });
  known.fromUs = Math.min(known.fromUs, fromUs);
  known.toUs = Math.max(known.toUs, toUs);
};

/** Joins the observations of each day, then the opens and closes. */
const joinDays = async (
  archive: Archive,
  coins: CoinArchive,
  { coin, fromUs, toUs }: Window & { readonly coin: string },
): Promise<{ readonly rows: number; readonly markets: number }> => {
  const changed = new Set<string>();
  let rows = 0;
  for (let from = fromUs; from <= toUs; from += dayUs) {
    const part = { coin, from_us: from, to_us: Math.min(from + dayUs, toUs + 1) };
    for await (const joined of pages((after) => coins.join({ ...part, after })))
      for (const market of joined) {
        rows += market.rows;
        changed.add(market.ticker);
      }
    for await (const moments of pages((after) => coins.moments({ ...part, after })))
      for (let at = 0; at < moments.length; at += factsMax)
        await archive.recordCatalogue(
          moments.slice(at, at + factsMax).map((moment) => ({ kind: 'market', ...moment })),
        );
  }
  return { rows, markets: changed.size };
};
