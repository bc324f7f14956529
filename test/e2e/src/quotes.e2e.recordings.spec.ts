import { recording } from '@almanac/testing';
import { describeQuotes } from './recordings/quotes-suite.js';

const { path: folder, skip } = recording('data/kalshi-15m');

describeQuotes('real quotes and settled markets, from import to download', {
  skip,
  open: () =>
    Promise.resolve({
      folder,
      // 8,631 settled markets, and 18 with quotes only.
      markets: 8_649,
      quotedMarkets: 25,
      ticker: 'KXBTC15M-26FEB242330-30',
      event: 'KXBTC15M-26FEB242330',
      closeS: Date.parse('2026-02-25T04:30:00Z') / 1_000,
      firstQuote: ['"ts":1771993365.058297', '"yes_best_bid":0.86', '"yes_best_ask":0.87', '"coin_price":65541.895'],
    }),
});
