import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { importFiles, importText } from './testing/import-files.js';
import { gapsIn } from './testing/memory-archive.js';

const yes = '6581861965756881347';
const no = '6581861965756881348';
const startMs = 1_786_399_200_000;

const gamma = JSON.stringify([
  {
    slug: 'x-joined',
    conditionId: '0xaa',
    question: 'Joined?',
    outcomes: '["Yes","No"]',
    clobTokenIds: JSON.stringify([yes, no]),
    active: true,
    closed: false,
    orderPriceMinTickSize: 0.01,
    createdAt: '2026-08-10T21:00:00Z',
  },
]);

const frame = (second: number, message: object): string =>
  JSON.stringify({
    recv_ms: startMs + second * 1_000,
    event: { ...message, timestamp: String(startMs + second * 1_000 - 10) },
  });
const bid = (second: number, price: string, best: string): string => {
  const change = { asset_id: yes, price, size: '5', side: 'BUY', hash: 'x', best_bid: best, best_ask: '0.54' };
  return frame(second, { event_type: 'price_change', market: '0xaa', price_changes: [change] });
};
const frames = [
  frame(1, {
    event_type: 'book',
    asset_id: yes,
    market: '0xaa',
    bids: [{ price: '0.52', size: '7' }],
    asks: [
      { price: '0.53', size: '1' },
      { price: '0.54', size: '2' },
    ],
  }),
  // The venue's event also removes the ask of 0.53, with its next message. The book is locked between them.
  bid(2, '0.53', '0.53'),
  frame(3, {
    event_type: 'tick_size_change',
    asset_id: yes,
    market: '0xaa',
    old_tick_size: '0.01',
    new_tick_size: '0.001',
  }),
  bid(4, '0.535', '0.535'),
  bid(5, '0.536', '0.70'),
  bid(6, '0.20', '0.70'),
].join('\n');

describe('frames that name tokens', () => {
  it('find their market in another file of the import, whatever the order of the files', async () => {
    const order = { 'frames.jsonl': frames, 'gamma.json': gamma };
    for (const files of [order, Object.fromEntries(Object.entries(order).toReversed())]) {
      const { rows, spans, reports, things } = await importFiles(files);
      assert.deepEqual(
        reports.map(({ refusals }) => refusals),
        [0, 0],
      );
      assert.deepEqual(
        Array.from(rows.values(), ({ ticker, bid: best }) => [ticker, best]),
        [
          ['x-joined', '0.52'],
          ['x-joined', '0.53'],
          ['x-joined', '0.535'],
        ],
      );
      assert.deepEqual(
        gapsIn({ spans }).map(({ startUs, reason }) => [startUs / 1_000 - startMs, reason]),
        [[4_000, 'the venue states another best bid or ask']],
      );
      const { history } = things.get('market x-joined') ?? {};
      assert.ok(JSON.stringify(history).includes('0.001') && JSON.stringify(history).includes('0.01'));
    }
  });
});

describe('trades', () => {
  it('are read from lists by ticker', async () => {
    const trade = (ticker: string, trade_id: string) => ({
      ticker,
      trade_id,
      created_time: '2026-05-02T17:11:49.493495Z',
      count_fp: '0.24',
      yes_price_dollars: '0.8600',
      taker_side: 'yes',
    });
    const byTicker = {
      'KXA-26MAY04-A': [trade('KXA-26MAY04-A', '1'), trade('KXA-26MAY04-A', '2')],
      'KXA-26MAY04-B': [trade('KXA-26MAY04-B', '3')],
    };
    const { trades } = await importFiles({ 'trades.json': JSON.stringify(byTicker, null, 2) });
    assert.deepEqual(
      Array.from(trades.values(), ({ ticker, id }) => [ticker, id]),
      [
        ['KXA-26MAY04-A', '1'],
        ['KXA-26MAY04-A', '2'],
        ['KXA-26MAY04-B', '3'],
      ],
    );
  });

  it('are priced by the outcome that was bought or sold', async () => {
    const mapping = [
      'name: mine',
      'format: csv',
      'match: { columns: [market, id, outcome, side, price, size, at] }',
      'fields:',
      '  ticker: { column: market }',
      '  trade_id: { column: id }',
      '  venue_ts: { column: at, unit: s }',
      "  outcome: { column: outcome, values: { Yes: 'yes', No: 'no' } }",
      '  taker_side: { column: side, values: { BUY: buy, SELL: sell } }',
      '  price: { column: price }',
      '  size: { column: size }',
    ].join('\n');
    const rows = [
      'x,1,No,BUY,0.93,5,1784726712',
      'x,2,Yes,BUY,0.08,5,1784726712',
      'x,3,No,SELL,0.93,5,1784726712',
      'x,4,,BUY,0.5,5,1784726712',
    ];
    const { trades, report } = await importText(mapping, ['market,id,outcome,side,price,size,at', ...rows]);
    assert.deepEqual(
      Array.from(trades.values(), ({ price, side }) => [price, side]),
      [
        ['0.07', 'no'],
        ['0.08', 'yes'],
        ['0.07', 'yes'],
      ],
    );
    assert.equal(report.refusals, 1);
  });

  it('are priced by outcome in JSON lines and Parquet as in CSV', async () => {
    const mapping = [
      'name: mine',
      'match: { columns: [market_id, id, outcome, side, price, size, timestamp] }',
      'fields:',
      "  ticker: { column: market_id, pattern: '^polymarket:(.+)$' }",
      '  trade_id: { column: id }',
      '  venue_ts: { column: timestamp, unit: s }',
      "  outcome: { column: outcome, values: { No: 'no', Yes: 'yes' } }",
      '  taker_side: { column: side, values: { BUY: buy, SELL: sell } }',
      '  price: { column: price }',
      '  size: { column: size }',
    ].join('\n');
    const rows = [
      { id: '01', outcome: 'No', side: 'BUY', price: 0.93, size: 5 },
      { id: '02', outcome: 'Yes', side: 'SELL', price: 0.08, size: 12.5 },
    ].map((row) => ({ ...row, market_id: 'polymarket:x-outcome', timestamp: 1_784_726_712 }));
    const names = ['market_id', 'id', 'outcome', 'side', 'price', 'size', 'timestamp'] as const;
    const columnData = names.map((name) => ({ name, data: rows.map((row) => row[name]) }));
    const files = {
      'a.csv': [names.join(','), ...rows.map((row) => names.map((name) => row[name]).join(','))].join('\n'),
      'a.jsonl': rows.map((row) => JSON.stringify(row)).join('\n'),
      'a.parquet': new Uint8Array(parquetWriteBuffer({ columnData })),
    };
    for (const [name, content] of Object.entries(files)) {
      const { trades, report } = await importFiles({ [name]: content }, { mapping });
      assert.deepEqual(
        Array.from(trades.values(), ({ ticker, price, size, side }) => [ticker, price, size, side]),
        [
          ['x-outcome', '0.07', '5', 'no'],
          ['x-outcome', '0.08', '12.5', 'no'],
        ],
        `${name}: ${report.error ?? ''}`,
      );
    }
  });
});
