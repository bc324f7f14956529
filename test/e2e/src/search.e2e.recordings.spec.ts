import { recording } from '@almanac/testing';
import { queries } from './recordings/search-queries.js';
import { describeSearch } from './recordings/search-suite.js';

const recordings = [
  'data/kalshi-rules',
  'data/kalshi-catalog',
  'data/kalshi-15m/settled_markets_kxbtc15m.csv',
  'data/polymarket/BTC-5m-markets-2026-06-08.jsonl.gz',
].map(recording);

describeSearch('a search of real catalogues', {
  skip: recordings.find(({ skip }) => skip !== false)?.skip ?? false,
  open: () =>
    Promise.resolve({
      paths: recordings.map(({ path }) => path),
      queries,
      listed: { q: 'atlanta miami 3.5 runs', ticker: 'KXMLBSPREAD-26MAY191610ATLMIA-ATL4' },
    }),
});
