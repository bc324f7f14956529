import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { newBook } from '../../model/book.js';
import { BookHashes } from './polymarket-hash.js';

/** The venue's REST answer. */
const answer = {
  market: '0xaa',
  asset_id: '11',
  timestamp: '1778796499699',
  hash: '',
  bids: [
    { price: '0.01', size: '1700' },
    { price: '0.5', size: '6.14' },
  ],
  asks: [{ price: '0.9', size: '25' }],
  min_order_size: '15',
  tick_size: '0.01',
  neg_risk: true,
  last_trade_price: '0.390',
};
const hashOf = (value: object): string => createHash('sha1').update(JSON.stringify(value)).digest('hex');
const { min_order_size: _, neg_risk: __, ...channel } = answer;
/** As the channel sends it: without two terms. */
const book = { ...channel, event_type: 'book', hash: hashOf(answer) };
const later = { ...answer, timestamp: '1778796519699', bids: answer.bids.slice(0, 1) };
const change = { asset_id: '11', price: '0.5', size: '0', side: 'BUY', hash: hashOf(later) };
const message = { timestamp: later.timestamp };

const bookWith = (yes: readonly [number, number][]) => {
  const ours = newBook();
  assert.ok(ours.load(yes, [[100_000, 25_000_000]]));
  return ours;
};

describe('the hash of a book', () => {
  it('is verified with the usual terms, and contradicted only after that', () => {
    const altered = { ...book, asks: [] };
    assert.equal(new BookHashes().ofBook(altered), 'unknown');
    const hashes = new BookHashes();
    assert.deepEqual([hashes.ofBook(book), hashes.ofBook(altered)], ['verified', 'contradicted']);
    assert.equal(hashes.ofBook({ ...book, last_trade_price: undefined }), 'unknown');
  });

  it('is verified after a change, and again only after a while', () => {
    const hashes = new BookHashes();
    assert.equal(hashes.ofChange(change, message, true), null);
    hashes.ofBook(book);
    const isOf = hashes.ofChange(change, message, true);
    assert.equal(
      isOf?.(
        bookWith([
          [10_000, 1_700_000_000],
          [500_000, 6_140_000],
        ]),
      ),
      false,
    );
    assert.equal(isOf?.(bookWith([[10_000, 1_700_000_000]])), true);
    assert.equal(hashes.ofChange(change, message, true), null);
  });

  it('of the other token covers the other side', () => {
    const hashes = new BookHashes();
    hashes.ofBook(book);
    const ours = newBook();
    ours.load([[100_000, 25_000_000]], [[10_000, 1_700_000_000]]);
    assert.equal(hashes.ofChange(change, message, false)?.(ours), true);
  });

  it('covers the price of a later trade and a later step', () => {
    const hashes = new BookHashes();
    hashes.ofBook(book);
    hashes.trade({ asset_id: '11', price: '0.61' });
    hashes.tickSize('11', '0.001');
    const traded = hashOf({ ...later, last_trade_price: '0.610', tick_size: '0.001' });
    const isOf = hashes.ofChange({ ...change, hash: traded }, message, true);
    assert.equal(isOf?.(bookWith([[10_000, 1_700_000_000]])), true);
  });
});
