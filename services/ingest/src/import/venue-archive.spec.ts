import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { importFiles } from './testing/import-files.js';

const types = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  int: { type: 'INT64' },
  flag: { type: 'BOOLEAN' },
  time: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
} as const;
type Row = Readonly<Record<string, string | number | boolean | Date | null>>;

const typeOf = (name: string): keyof typeof types => {
  if (/(?:_time|_at|timestamp|end_date)$/.test(name)) return 'time';
  if (/count|_price$|amount|block_number|log_index|^fee$/.test(name)) return 'int';
  return name === 'closed' || name === 'active' ? 'flag' : 'text';
};

/** A table in Parquet whose columns have the types of the archive. */
const tableOf = (names: readonly string[], rows: readonly Row[]): Buffer => {
  const stored = (name: string, value: Row[string] | undefined): unknown => {
    if (value === null || value === undefined) return null;
    if (value instanceof Date) return BigInt(value.getTime()) * 1_000n;
    return typeOf(name) === 'int' ? BigInt(Number(value)) : value;
  };
  const schema: SchemaElement[] = [
    { name: 'root', num_children: names.length },
    ...names.map((name): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...types[typeOf(name)] })),
  ];
  const columnData = names.map((name) => ({ name, data: rows.map((row) => stored(name, row[name])) }));
  return Buffer.from(parquetWriteBuffer({ schema, columnData }));
};

const at = (second: number): Date => new Date(1_780_000_000_000 + second * 1_000);

describe('Kalshi tables of the archive', () => {
  const marketColumns = [
    'ticker',
    'event_ticker',
    'title',
    'status',
    'result',
    'created_time',
    'open_time',
    'close_time',
    '_fetched_at',
  ];
  const market = {
    ticker: 'KXA-26JUN01-T1',
    event_ticker: 'KXA-26JUN01',
    title: 'A?',
    created_time: at(0),
    open_time: at(10),
    close_time: at(900),
  };
  const open = tableOf(marketColumns, [{ ...market, status: 'open', result: '', _fetched_at: at(100) }]);
  const settled = tableOf(marketColumns, [{ ...market, status: 'finalized', result: 'yes', _fetched_at: at(1_000) }]);
  const tradeColumns = [
    'trade_id',
    'ticker',
    'count',
    'yes_price',
    'no_price',
    'taker_side',
    'created_time',
    '_fetched_at',
  ];
  const trade = {
    trade_id: 't1',
    ticker: market.ticker,
    count: 7,
    yes_price: 93,
    no_price: 7,
    taker_side: 'no',
    created_time: at(20),
    _fetched_at: at(100),
  };

  it('give markets with each statement as of its fetch, and trades in cents, and may be empty', async () => {
    const { things, trades, reports } = await importFiles({
      'markets-1.parquet': open,
      'markets-2.parquet': settled,
      'markets-3.parquet': tableOf(marketColumns, []),
      'trades-1.parquet': tableOf(tradeColumns, [trade]),
      'trades-2.parquet': tableOf(tradeColumns, []),
    });
    assert.deepEqual(
      reports.map(({ error, mapping, refusals }) => [error, mapping, refusals]),
      ['kalshi-markets', 'kalshi-markets', 'kalshi-markets', 'kalshi-trades', 'kalshi-trades'].map((name) => [
        null,
        name,
        0,
      ]),
    );
    const { price, size, side, venueTs } = trades.get(`${market.ticker} t1`) ?? {};
    assert.deepEqual([price, size, side, venueTs], ['0.93', '7', 'no', '1780000020.000000']);
    const history = JSON.stringify(things.get(`market ${market.ticker}`)?.['history']);
    assert.ok(history.includes('finalized') && history.includes(String(at(1_000).getTime() * 1_000)));
  });
});

describe('Polymarket tables of the archive', () => {
  const [yes, no] = ['111', '222'];
  const markets = tableOf(
    [
      'id',
      'condition_id',
      'question',
      'slug',
      'outcomes',
      'outcome_prices',
      'clob_token_ids',
      'active',
      'closed',
      'end_date',
      'created_at',
      '_fetched_at',
    ],
    [
      {
        id: '1',
        condition_id: '0xaa',
        question: 'B?',
        slug: 'b',
        outcomes: '["Yes","No"]',
        outcome_prices: '["1", "0"]',
        clob_token_ids: `["${yes}","${no}"]`,
        active: true,
        closed: true,
        end_date: at(500),
        created_at: at(0),
        _fetched_at: at(1_000),
      },
    ],
  );
  const fillColumns = [
    'block_number',
    'transaction_hash',
    'log_index',
    'maker',
    'taker',
    'maker_asset_id',
    'taker_asset_id',
    'maker_amount',
    'taker_amount',
    'fee',
    '_contract',
  ];
  const fill = {
    block_number: 70_000_001,
    transaction_hash: '0xh',
    maker: '0xm',
    taker: '0xt',
    fee: 0,
    _contract: 'CTF Exchange',
  };
  const buys = (token: string, usdc: number, tokens: number, more: Row) => ({
    ...fill,
    maker_asset_id: '0',
    taker_asset_id: token,
    maker_amount: usdc,
    taker_amount: tokens,
    ...more,
  });
  const sells = (token: string, usdc: number, tokens: number, more: Row) => ({
    ...fill,
    maker_asset_id: token,
    taker_asset_id: '0',
    maker_amount: tokens,
    taker_amount: usdc,
    ...more,
  });
  const fills = tableOf(fillColumns, [
    buys(yes, 2_500_000, 5_000_000, { log_index: 1 }),
    buys(no, 1_000_000, 3_000_000, { log_index: 2 }),
    sells(yes, 4_650_000, 5_000_000, { log_index: 3, block_number: 70_010_000 }),
    sells(yes, 4_650_000, 5_000_000, { log_index: 3, block_number: 70_010_000 }),
    sells(yes, 8_000_000, 10_000_000, { log_index: 4, taker: '0x4bFb41d5B3570DeFd03C39a9A4D8dE6Bd8B8982E' }),
    sells(yes, 8_000_000, 10_000_000, {
      log_index: 5,
      taker: '0xc5d563a36ae78145c45a50134d48a1215220f80a',
      _contract: 'NegRisk',
    }),
    buys(yes, 1_000_000, 2_000_000, { log_index: 6, block_number: 70_000_002 }),
    buys('333', 1_000_000, 2_000_000, { log_index: 7 }),
    { ...buys(yes, 1_000_000, 2_000_000, { log_index: 8 }), maker_asset_id: no },
  ]);
  const blocks = tableOf(
    ['block_number', 'timestamp'],
    [
      { block_number: 70_010_000, timestamp: at(20_000) },
      { block_number: 70_000_001, timestamp: at(20) },
    ],
  );

  it('give fills once, with the time of their block, and tell summaries of the taker apart, in any order of files', async () => {
    const files = {
      'fills.parquet': fills,
      'blocks.parquet': blocks,
      'markets.parquet': markets,
      'blocks-2.parquet': tableOf(['block_number', 'timestamp'], []),
    };
    for (const ordered of [files, Object.fromEntries(Object.entries(files).toReversed())]) {
      const { trades, reports, things } = await importFiles(ordered);
      assert.deepEqual(
        Array.from(trades.values(), ({ id, price, size, side, venueTs }) => [id, price, size, side, venueTs]),
        [
          ['0xh-1', '0.5', '5', 'no', '1780000020.000000'],
          ['0xh-2', '0.666667', '3', 'yes', '1780000020.000000'],
          ['0xh-3', '0.93', '5', 'yes', '1780020000.000000'],
        ],
      );
      const report = reports.find(({ mapping }) => mapping === 'polymarket-fills');
      assert.deepEqual(
        [...(report?.leftOut ?? [])],
        [["summaries of a taker's whole order, whose fills are counted", 2]],
      );
      assert.deepEqual(
        [...(report?.refused ?? [])],
        [
          ['the block has no time', 1],
          ['the token belongs to no known market', 1],
          ['neither asset is USDC', 1],
        ],
      );
      assert.deepEqual([...(report?.altered ?? [])], [['price: rounded to 6 decimals', 1]]);
      assert.deepEqual([report?.tradeCounts, report?.rowsRead], [{ stored: 3, equal: 1, different: 0 }, 9]);
      assert.equal(reports.find(({ file }) => file === 'blocks.parquet')?.blockTimes, 2);
      assert.partialDeepStrictEqual(things.get('market b'), {
        title: 'B?',
        result: 'yes',
        venue_status: 'resolved',
        settlement_value: '1',
      });
    }
  });

  it('refuse a rounded price with --exact', async () => {
    const { trades } = await importFiles(
      { 'fills.parquet': fills, 'blocks.parquet': blocks, 'markets.parquet': markets },
      { exact: true },
    );
    assert.deepEqual(
      Array.from(trades.values(), ({ id }) => id),
      ['0xh-1', '0xh-3'],
    );
  });
});
