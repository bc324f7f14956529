import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { smallRecordings, writeTrades } from '@almanac/test-fixtures';
import { describeTrades } from './recordings/trades-suite.js';

const folder = await mkdtemp(join(tmpdir(), 'almanac-trades-'));
after(() => rm(folder, { recursive: true, force: true }));

describeTrades('generated trades of both venues, from import to download', {
  skip: false,
  open: async () => {
    const { paths, kalshi, polymarket } = await writeTrades(folder, smallRecordings);
    const trades = [...kalshi.trades, ...polymarket.trades].map(({ ticker, price, size, side, venueUs: us }) => {
      return { ticker, price: Number(price), size: Number(size), side, us };
    });
    return { paths, trades };
  },
});
