// In the full run: it installs both engines from PyPI, which are 300 MB.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pythonWith } from '@almanac/testing';
import { useClientsSystem } from '../clients-system.js';
import { pythonClient } from '../python/python.js';
import { runExample } from './run-example.js';

const page = fileURLToPath(new URL('../../../../docs/backtest-engines.md', import.meta.url));
const packages = ['hftbacktest==2.4.4', 'nautilus_trader==1.221.0', 'httpx'];

/** Both engines go through the whole file, and their books at many times are compared with those of the API. */
const comparison = `
levels = lambda side: [(round(float(price), 6), round(float(size), 6)) for price, size in side]
asks = lambda side: levels((1 - price, size) for price, size in side)
engine.close()
engine = HashMapMarketDepthBacktest([asset])
book = OrderBook(instrument, BookType.L2_MBP)
rest, compared = list(deltas("book.csv")), 0
# A new engine begins with the first event. No book is stored at half a second, so the digits of a float do not matter.
half, second = 500_000_000, 1_000_000_000
step = (last - first) // 12 // second * second
engine.elapse(half)
for moment in range(first + half + step, last, step):
    engine.elapse(step)
    assert engine.current_timestamp == moment
    while rest and rest[0].ts_init <= moment:
        book.apply_delta(rest.pop(0))
    api = client.markets.book(market.ticker, at_ts=moment / 1e9)
    bids, offers = levels(api.orderbook_yes), asks(api.orderbook_no)
    assert [(float(one.price), one.size()) for one in book.bids()] == bids, moment
    assert [(float(one.price), one.size()) for one in book.asks()] == offers, moment
    depth = engine.depth(0)
    assert [round(depth.best_bid, 6), round(depth.best_ask, 6)] == [bids[0][0], offers[0][0]], moment
    for price, size in bids + offers:
        tick = round(price / 0.001)
        assert size in (depth.bid_qty_at_tick(tick), depth.ask_qty_at_tick(tick)), (moment, price)
    compared += 1
assert compared >= 11
ticks = [(one.ts_init // 1000, float(one.price), float(one.size)) for one in trades("trades.csv")]
stored = client.markets.trades(market.ticker).to_list()
assert ticks == sorted((round(one.ts.timestamp() * 1e6), float(one.price), float(one.size)) for one in stored)
assert sum(1 for event in events if event["ev"] & 0xFF == 2) == len(ticks) > 10
print("compared")
`;

describe('the page of backtest engines', { timeout: 900_000 }, () => {
  const clients = useClientsSystem();
  let python = '';
  let folder = '';
  before(async () => {
    folder = await clients().makeFolder();
    python = await pythonWith(folder, packages);
  });

  it('reads an export by hftbacktest and NautilusTrader, with the books and trades of the API', async () => {
    const text = await readFile(page, 'utf8');
    for (const [name, version] of packages.map((one) => one.split('==')))
      if (version !== undefined) assert.ok(text.includes(`${name} ${version}`), `the page names ${name} ${version}`);
    const blocks = [...text.matchAll(/^```python\n(.*?)^```/gms)].map(([, block = '']) => block);
    assert.equal(blocks.length, 3);
    const variables = { PYTHONPATH: pythonClient, PYTHONDONTWRITEBYTECODE: '1', NUMBA_CACHE_DIR: folder };
    const program = [...blocks, comparison].join('\n');
    const { code, output } = await runExample([python, '-c', program], folder, clients(), variables);
    assert.equal(code, 0, output);
    const [byHftbacktest, byNautilus, end] = output.trim().split('\n');
    assert.deepEqual(byHftbacktest?.split(' ').map(Number), byNautilus?.split(' ').map(Number));
    assert.equal(end, 'compared');
  });
});
