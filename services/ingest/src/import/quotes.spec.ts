import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { after, before, it } from 'node:test';
import { join } from 'node:path';
import { type Recordings, smallRecordings, writeKalshi15m } from '@almanac/test-fixtures';
import { importPaths } from './testing/import-paths.js';
import { describeQuoteRecordings } from './testing/quote-recordings-suite.js';

let folder = '';
let written: Recordings['kalshi15m'];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'almanac-quotes-'));
  written = await writeKalshi15m(folder, smallRecordings);
});
after(() => rm(folder, { recursive: true, force: true }));

describeQuoteRecordings('generated quotes and settled markets', {
  skip: false,
  open: () => {
    const { settledPath, settled, quotesPath, quotes } = written;
    return Promise.resolve({
      settledPath,
      settledMarkets: settled.markets.length,
      dirt: settled.dirt,
      quotesPath,
      quoteLines: quotes.lines,
      quoteErrors: quotes.errors,
      quotes: new Map(Array.from(quotes.markets, ([ticker, rows]) => [ticker, rows.length])),
      markets: new Set([...quotes.markets.keys(), ...settled.markets.map(({ ticker }) => ticker)]).size,
    });
  },
});

it('every generated quote is stored to its last digit', async () => {
  const { rows } = await importPaths([written.quotesPath]);
  for (const [ticker, quotes] of written.quotes.markets) {
    for (const { ts, bid, ask, coinPrice } of quotes) {
      const row = rows.get(`${ticker} ${ts}`);
      assert.deepEqual(row, {
        ticker,
        series: ticker.split('-')[0],
        ts,
        venueTs: null,
        seq: null,
        bid,
        ask,
        coinPrice,
      });
    }
  }
});

it('every generated settled market is stored as its line states it', async () => {
  const { things } = await importPaths([written.settledPath]);
  for (const market of written.settled.markets) {
    const stored = things.get(`market ${market.ticker}`);
    assert.deepEqual(
      {
        event: stored?.['event_ticker'],
        open: stored?.['open_us'],
        close: stored?.['close_us'],
        settlement: stored?.['settlement_us'] ?? null,
        strike: stored?.['floor_strike'] ?? null,
        expiration: stored?.['expiration_value'] ?? null,
        result: stored?.['result'],
      },
      {
        event: market.eventTicker,
        open: market.openS * 1_000_000,
        close: market.closeS * 1_000_000,
        settlement: market.settlementUs,
        strike: shortest(market.strike),
        expiration: shortest(market.expiration),
        result: market.result,
      },
      market.ticker,
    );
  }
});

const shortest = (decimal: string | null): string | null => decimal?.replace(/0+$/, '') ?? null;
