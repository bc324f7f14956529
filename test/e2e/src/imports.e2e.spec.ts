import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import {
  smallRecordings,
  writeKalshi15m,
  writeKalshiBooks,
  writeKalshiCatalogue,
  writeTrades,
} from '@almanac/recordings';
import { type SystemHarness, startHarness } from './harness.js';
import { metricsSuite } from './metrics/metrics-suite.js';
import { describeBooks } from './recordings/books-suite.js';
import { describeCapture } from './recordings/capture-suite.js';
import { describeQuotes } from './recordings/quotes-suite.js';
import { generatedQueries } from './recordings/generated-queries.js';
import { describeSearch } from './recordings/search-suite.js';
import { describeTrades } from './recordings/trades-suite.js';
import { describeVenueCandles } from './recordings/venue-candles-suite.js';

/** One system for all imports. The first suite counts all that is stored. */
describe('generated recordings, from import to answers', { timeout: 580_000 }, () => {
  let running: SystemHarness;
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-imports-'));
    running = await startHarness({ gateways: 2 });
  });
  after(async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const shared = { skip: false, system: () => running } as const;
  const into = (name: string): string => join(folder, name);

  describeQuotes('quotes and settled markets', {
    ...shared,
    open: async () => {
      const { settled, quotes } = await writeKalshi15m(into('15m'), smallRecordings);
      const [ticker, rows] = [...quotes.markets][0] ?? [];
      const [first] = rows ?? [];
      const market = settled.markets.find((one) => one.ticker === ticker);
      assert.ok(ticker !== undefined && first && market);
      return {
        folder: into('15m'),
        markets: new Set([...quotes.markets.keys(), ...settled.markets.map((one) => one.ticker)]).size,
        quotedMarkets: quotes.markets.size,
        ticker,
        event: market.eventTicker,
        closeS: market.closeS,
        firstQuote: [
          `"ts":${first.ts.replace(/0+$/, '')}`,
          `"yes_best_bid":${first.bid}`,
          `"yes_best_ask":${first.ask}`,
          `"coin_price":${first.coinPrice}`,
        ],
      };
    },
  });

  describeSearch('a search of catalogues', {
    ...shared,
    open: async () => {
      const { files } = await writeKalshiCatalogue(into('catalogue'), smallRecordings);
      await writeKalshi15m(into('15m'), smallRecordings);
      return { paths: [into('catalogue'), into('15m')], ...generatedQueries(files) };
    },
  });

  describeBooks('order books', {
    ...shared,
    open: async () => {
      const { session, framesPath, frames } = await writeKalshiBooks(into('books'), smallRecordings);
      const [market] = session.markets;
      const [frameTicker] = frames.tickers;
      assert.ok(market !== undefined && frameTicker !== undefined);
      return {
        session: { ...market, folder: session.folder, changes: session.changes, strike: Number(market.strike) },
        framesPath,
        frameTicker,
      };
    },
  });

  describeTrades('trades of both venues', {
    ...shared,
    open: async () => {
      const { paths, kalshi, polymarket } = await writeTrades(into('trades'), smallRecordings);
      const trades = [...kalshi.trades, ...polymarket.trades].map(({ ticker, price, size, side, venueUs: us }) => {
        return { ticker, price: Number(price), size: Number(size), side, us };
      });
      return { paths, trades };
    },
  });

  describeVenueCandles(shared.system, () => into('venue-candles'));
  describeCapture(shared.system);
  metricsSuite(shared.system);
});
