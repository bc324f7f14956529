import assert from 'node:assert/strict';
import { it } from 'node:test';
import { marketState } from '@almanac/contracts';
import type { MarketContext } from './market-context.js';
import { valuesByVersion } from './values-by-version.js';

const caller = { account: 'a', signal: new AbortController().signal, remainingMs: 1_000 };

type VersionedMarket = Pick<MarketContext, 'state' | 'version'>;

const marketOf = (ticker: string, version: number): VersionedMarket => ({
  state: marketState.parse({ ticker }),
  version,
});

it('values of markets are read once for each data version, all missing ones together', async () => {
  const reads: (readonly string[])[] = [];
  const values = valuesByVersion<string | null>({
    maxSize: 10,
    sizeOf: () => 1,
    empty: null,
    load: (tickers) => {
      reads.push(tickers);
      return Promise.resolve(
        new Map(tickers.filter((ticker) => ticker !== 'NONE').map((ticker) => [ticker, `of ${ticker}`])),
      );
    },
  });
  const read = (...markets: readonly VersionedMarket[]) => values(markets, caller);
  assert.deepEqual(await read(marketOf('A', 1), marketOf('NONE', 1)), ['of A', null]);
  assert.deepEqual(await read(marketOf('B', 1), marketOf('A', 1), marketOf('NONE', 1)), ['of B', 'of A', null]);
  assert.deepEqual(await read(marketOf('A', 2), marketOf('B', 1)), ['of A', 'of B']);
  assert.deepEqual(reads, [['A', 'NONE'], ['B'], ['A']]);
});
