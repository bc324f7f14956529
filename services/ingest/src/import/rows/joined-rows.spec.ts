import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMapping } from '../../mapping/load-mapping.js';
import { importFiles } from '../testing/import-files.js';
import { gapsIn, memoryArchive } from '../testing/memory-archive.js';

const head = (columns: string) => ['name: mine', `match: { columns: [${columns}] }`, 'fields:'];
const market = { kind: 'market', ticker: 'x-joined', feed_ids: { condition: '0xaa', yes: '11', no: '12' } } as const;

const archiveWith = async () => {
  const into = memoryArchive();
  await into.archive.recordCatalogue([market]);
  return into;
};

const refusalOf = (ticker: string, ...fields: readonly string[]): string => {
  try {
    parseMapping([...head('a'), `  ticker: ${ticker}`, ...fields].join('\n'), 'mine.yaml');
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return '';
};

describe('rows that name a market by its token', () => {
  const trades = [
    ...head('token, id, side, price, size, at'),
    '  ticker: { column: token, of: token }',
    '  trade_id: { column: id }',
    '  venue_ts: { column: at, unit: s }',
    '  taker_side: { column: side, values: { BUY: buy, SELL: sell } }',
    '  price: { column: price }',
    '  size: { column: size }',
  ].join('\n');
  const rows = ['11,1,BUY,0.4,5,1784726712', '12,2,BUY,0.93,5,1784726712', '99,3,BUY,0.5,5,1784726712'];
  const csv = ['token,id,side,price,size,at', ...rows].join('\n');

  it('are trades of its market and outcome, and one of an unknown token waits', async () => {
    const { trades: stored, report } = await importFiles(
      { 'a.csv': csv },
      { mapping: trades, into: await archiveWith() },
    );
    assert.deepEqual(
      Array.from(stored.values(), ({ ticker, price, side }) => [ticker, price, side]),
      [
        ['x-joined', '0.4', 'yes'],
        ['x-joined', '0.07', 'no'],
      ],
    );
    assert.deepEqual(
      [Array.from(report.refused), Array.from(report.waitsFor), report.rowsRead, report.tradesRefused],
      [[['the token belongs to no known market', 1]], ['99'], 3, 1],
    );
  });

  it('are levels of its book, which a row of an unknown token does not end', async () => {
    const mapping = [
      ...head('token, event, side, price, size, at'),
      '  ticker: { column: token, of: token }',
      '  ts: { column: at, unit: s }',
      '  book_event: { column: event, values: { book: snapshot, price_change: level } }',
      '  side: { column: side }',
      '  price: { column: price }',
      '  size: { column: size }',
    ].join('\n');
    const levels = [
      '12,book,ask,0.6,5,1784726712',
      '99,price_change,bid,0.6,5,1784726713',
      '12,price_change,ask,0.55,1,1784726714',
    ];
    const { rows: stored, spans } = await importFiles(
      { 'a.csv': ['token,event,side,price,size,at', ...levels].join('\n') },
      { mapping, into: await archiveWith() },
    );
    assert.deepEqual(
      Array.from(stored.values(), ({ ticker, bid }) => [ticker, bid]),
      [
        ['x-joined', '0.4'],
        ['x-joined', '0.45'],
      ],
    );
    assert.deepEqual(gapsIn({ spans }), []);
  });
});

describe('rows that name a market by its condition', () => {
  const quotes = [
    ...head('condition, bid, at'),
    '  ticker: { column: condition, of: condition }',
    '  ts: { column: at, unit: s }',
    '  yes_best_bid: { column: bid }',
  ].join('\n');
  it('are its observations', async () => {
    const csv = 'condition,bid,at\n0xaa,0.4,1784726712\n';
    const { rows } = await importFiles({ 'a.csv': csv }, { mapping: quotes, into: await archiveWith() });
    assert.deepEqual(
      Array.from(rows.values(), ({ ticker, bid }) => [ticker, bid]),
      [['x-joined', '0.4']],
    );
  });

  it('find a market that a mapping describes', async () => {
    const into = memoryArchive();
    const markets = [
      ...head('slug, condition, yes, no'),
      '  ticker: { column: slug }',
      '  condition: { column: condition }',
      '  yes_token: { column: yes }',
      '  no_token: { column: no }',
    ].join('\n');
    await importFiles({ 'm.csv': 'slug,condition,yes,no\nx-mine,0xcc,31,32\n' }, { mapping: markets, into });
    const csv = 'condition,bid,at\n0xcc,0.4,1784726712\n';
    const { rows } = await importFiles({ 'a.csv': csv }, { mapping: quotes, into });
    assert.deepEqual(
      Array.from(rows.values(), ({ ticker }) => ticker),
      ['x-mine'],
    );
  });
});

describe('a mapping that names tokens', () => {
  it('is refused where a row has no outcome, or several markets', () => {
    const token = '{ column: a, of: token }';
    assert.match(refusalOf(token, '  ts: { column: t, unit: s }'), /fields\.ticker\.of token is not for observations/);
    assert.match(refusalOf('{ column: a, of: slug }'), /fields\.ticker\.of must be one of token, condition/);
  });
});
