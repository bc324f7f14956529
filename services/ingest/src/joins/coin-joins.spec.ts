import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '@almanac/testing';
import { importFiles, importText } from '../import/testing/import-files.js';
import { memoryArchive } from '../import/testing/memory-archive.js';
import { parseMapping } from '../mapping/load-mapping.js';
import { suggestedMapping } from '../explain/suggested-mapping.js';
import { columnCollector } from '../explain/column-facts.js';

const mapping = `
name: coin-trades
match: { columns: [at, pair, last] }
fields:
  coin: { column: pair }
  coin_price: { column: last }
  ts: { column: at, unit: iso }
`;

const day = '2026-08-10T';
const us = (time: string): number => Date.parse(`${day}${time}Z`) * 1_000;

describe('prices of coins', () => {
  test('are read by a mapping, with every digit, and refused rows are named', async () => {
    const { report, refused, coinPrices } = await importText(mapping, [
      'at,pair,last',
      `${day}12:00:00.000001Z,BTC-USD,65541.89512345`,
      `${day}12:00:01Z,btcusdt,65542`,
      `${day}12:00:01Z,BTC/USDC,65543`,
      `${day}12:00:02Z,ETH,1.5`,
      `${day}12:00:03Z,BTC-EUR,1`,
      `${day}12:00:04Z,,1`,
      `${day}12:00:05Z,BTC,0`,
      `${day}12:00:06Z,BTC,-1`,
      `noon,BTC,1`,
      `,BTC,1`,
    ]);
    assert.deepEqual(
      [...coinPrices.values()],
      [
        { coin: 'BTC', us: us('12:00:00') + 1, price: '65541.89512345' },
        { coin: 'BTC', us: us('12:00:01'), price: '65543' },
        { coin: 'ETH', us: us('12:00:02'), price: '1.5' },
      ],
    );
    const { coinPricesRead, coinPricesRefused, coinPricesStored, coinPriceCounts } = report;
    assert.deepEqual([coinPricesRead, coinPricesRefused, coinPricesStored], [4, 6, 4]);
    assert.deepEqual(coinPriceCounts, { stored: 3, equal: 0, different: 1 });
    assert.equal(refused.length, 6);
    assert.deepEqual(
      [...report.refused],
      [
        ['coin: not a symbol with a price in USD, such as BTC or BTC-USD', 1],
        ['no coin', 1],
        ['coin_price: not a decimal number above 0', 2],
        ['ts: not a whole time', 1],
        ['no time', 1],
      ],
    );
  });

  test('have no other fields, and need a time and a price', () => {
    const refusal = (...fields: readonly string[]): string => {
      try {
        parseMapping(['name: x', 'match: { columns: [a] }', 'fields:', ...fields].join('\n'), 'x.yaml');
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
      return '';
    };
    const ts = '  ts: { column: a, unit: s }';
    assert.match(refusal('  coin: { constant: BTC }', ts), /coin_price.*is missing/s);
    assert.match(refusal('  coin: { constant: BTC }', '  coin_price: { column: a }'), /ts.*is missing/s);
    const withTicker = refusal(
      '  coin: { constant: BTC }',
      '  coin_price: { column: a }',
      ts,
      '  ticker: { column: a }',
    );
    assert.match(withTicker, /ticker.*is not for prices of coins/s);
  });

  test('are recognised by --explain, which suggests a mapping that works', () => {
    const columns = Object.entries({ time: `${day}12:00:00Z`, product_id: 'BTC-USD', price: '65541.5', size: '1' }).map(
      ([name, value]) => {
        const column = columnCollector(name, null);
        column.see(value);
        return column.facts();
      },
    );
    const suggested = suggestedMapping('ticks', { columns, isTyped: () => false });
    assert.ok('yaml' in suggested);
    assert.deepEqual(suggested.yaml.split('\n').slice(2), [
      'fields:',
      '  coin: { column: product_id }',
      '  coin_price: { column: price }',
      '  ts: { column: time, unit: iso }',
    ]);
  });
});

const observed = `
name: quotes
match: { columns: [ticker, at, bid, coin] }
fields:
  ticker: { column: ticker }
  ts: { column: at, unit: iso }
  yes_best_bid: { column: bid }
  coin_price: { column: coin }
`;

/** The parts of an archive whose quotes have no coin price, but for one row. */
const parts = {
  catalogue: JSON.stringify({
    ticker: 'KXBTC15M-26AUG10-T1',
    event_ticker: 'KXBTC15M-26AUG10',
    title: 'Up?',
    status: 'active',
    open_time: `${day}12:00:00Z`,
    close_time: `${day}12:15:00Z`,
  }),
  quotes: [
    'ticker,at,bid,coin',
    `KXBTC15M-26AUG10-T1,${day}12:00:00Z,0.4,`,
    `KXBTC15M-26AUG10-T1,${day}12:00:30Z,0.4,`,
    `KXBTC15M-26AUG10-T1,${day}12:00:40Z,0.4,70000`,
    `KXBTC15M-26AUG10-T1,${day}12:05:00Z,0.4,`,
    `btc-updown-15m-1,${day}12:00:31Z,0.4,`,
    `bitcoin-up-or-down-1,${day}12:00:31Z,0.4,`,
    `KXBTCMAX-26,${day}12:00:31Z,0.4,`,
    `KXETH15M-26AUG10-T1,${day}12:00:31Z,0.4,`,
  ].join('\n'),
  minutes: [`at,pair,last`, `${day}11:59:59Z,BTC,100`, `${day}12:14:30Z,BTC,900`].join('\n'),
  seconds: [`at,pair,last`, `${day}12:00:00Z,BTC,101`, `${day}12:00:30.000001Z,BTC,102`].join('\n'),
};

const orders = (seed: number): readonly (keyof typeof parts)[] => {
  const random = seededRandom(seed);
  const names = ['catalogue', 'quotes', 'minutes', 'seconds'] as const;
  return names
    .map((name) => ({ name, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ name }) => name);
};

test('observations, opens and closes get the last price before them, in any order of imports', async () => {
  for (let seed = 1; seed <= 24; seed += 1) {
    const into = memoryArchive();
    for (const name of orders(seed)) {
      if (name === 'catalogue') await importFiles({ 'markets.jsonl': parts.catalogue }, { into });
      else if (name === 'quotes') await importFiles({ 'quotes.csv': parts.quotes }, { into, mapping: observed });
      else await importFiles({ [`${name}.csv`]: parts[name] }, { into, mapping });
    }
    const found = Array.from(into.rows.values(), ({ ticker, ts, coinPrice }) => [
      ticker.split('-')[0],
      Number(ts) % 3_600,
      coinPrice,
    ]);
    assert.deepEqual(
      found,
      [
        ['KXBTC15M', 0, '101'],
        ['KXBTC15M', 30, '101'],
        ['KXBTC15M', 40, '70000'],
        ['KXBTC15M', 300, null],
        ['btc', 31, '102'],
        ['bitcoin', 31, '102'],
        ['KXBTCMAX', 31, null],
        ['KXETH15M', 31, null],
      ],
      `seed ${seed}`,
    );
    const market = into.things.get('market KXBTC15M-26AUG10-T1');
    assert.deepEqual(
      [market?.['open_price'], market?.['last_price']],
      [
        { price: '101', us: us('12:00:00') },
        { price: '900', us: us('12:14:30') },
      ],
      `seed ${seed}`,
    );
  }
});

test('an import without observations and markets asks for no coins', async () => {
  const into = memoryArchive();
  const archive = {
    ...into.archive,
    coins: { known: () => Promise.reject(new Error('asked')), join: never, moments: never },
  };
  const { aborted } = await importFiles({ 'empty.jsonl': '' }, { into, archive });
  assert.equal(aborted, null);
});

const never = (): Promise<never> => Promise.reject(new Error('asked'));
