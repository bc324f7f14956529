import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { smallRecordings, writeKalshi15m } from '@almanac/test-fixtures';
import { describeQuotes } from './recordings/quotes-suite.js';

const folder = await mkdtemp(join(tmpdir(), 'almanac-quotes-'));
after(() => rm(folder, { recursive: true, force: true }));

describeQuotes('generated quotes and settled markets, from import to download', {
  skip: false,
  open: async () => {
    const { settled, quotes } = await writeKalshi15m(folder, smallRecordings);
    const [ticker, rows] = [...quotes.markets][0] ?? [];
    const [first] = rows ?? [];
    const market = settled.markets.find((one) => one.ticker === ticker);
    assert.ok(ticker !== undefined && first && market);
    return {
      folder,
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
