import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFiles } from '../testing/import-files.js';

const fill = (wallet: string, more: object = {}): string =>
  JSON.stringify({
    proxyWallet: wallet,
    side: 'BUY',
    asset: '111',
    conditionId: '0xaa',
    size: 5,
    price: 0.5,
    timestamp: 1_786_399_200,
    title: 'T',
    slug: 'x-equal',
    eventSlug: 'x-equal',
    outcome: 'Yes',
    outcomeIndex: 0,
    transactionHash: '0xh1',
    ...more,
  });
const dump = [
  fill('0xa'),
  fill('0xb'),
  fill('0xa'),
  fill('0xc', { outcomeIndex: 1 }),
  fill('0xd', { transactionHash: '0xh2' }),
];
const idsOf = ({ trades }: Pick<Awaited<ReturnType<typeof importFiles>>, 'trades'>) => [...trades.keys()].toSorted();

describe('trades without an id of their own', () => {
  it('stay as many as the file has, and are the same in a second import and in another order', async () => {
    const first = await importFiles({ 'trades.jsonl': dump.join('\n') });
    assert.deepEqual(idsOf(first), [
      'x-equal 0xh1-no-0.5-5',
      'x-equal 0xh1-yes-0.5-5',
      'x-equal 0xh1-yes-0.5-5-2',
      'x-equal 0xh1-yes-0.5-5-3',
      'x-equal 0xh2-yes-0.5-5',
    ]);
    assert.deepEqual(first.report.tradeCounts, { stored: 5, equal: 0, different: 0 });
    for (const again of [dump, dump.toReversed(), dump.slice(1)]) {
      const { reports: _, report: __, ...into } = first;
      const second = await importFiles({ 'again.jsonl': again.join('\n') }, { into });
      assert.deepEqual(idsOf(second), idsOf(first));
    }
  });

  it('get one from their content by a mapping', async () => {
    const mapping = [
      'name: mine',
      'format: csv',
      'match: { columns: [market, px, qty, at] }',
      'fields:',
      '  ticker: { column: market }',
      '  trade_id: { from_content: true }',
      '  venue_ts: { column: at, unit: s }',
      '  price: { column: px }',
      '  size: { column: qty }',
    ].join('\n');
    const rows = ['x,0.50,5,1784726712', 'x,0.5,5.0,1784726712', 'x,0.5,6,1784726712', 'x,1.5,5,1784726712'];
    for (const ordered of [rows, rows.toReversed()]) {
      const result = await importFiles({ 'rows.csv': ['market,px,qty,at', ...ordered].join('\n') }, { mapping });
      assert.deepEqual(idsOf(result), [
        'x 1784726712000000-unknown-0.5-5',
        'x 1784726712000000-unknown-0.5-5-2',
        'x 1784726712000000-unknown-0.5-6',
      ]);
      assert.equal(result.report.refusals, 1);
    }
  });
});
