import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchBuilder, batchedMarket } from '../intake/observation-batch.js';
import { newBook } from '../model/book.js';
import { type BookRow, bookRowTexts } from '../model/book-row.js';
import { one } from '../values/millionths.js';
import { BookBatch } from './book-batch.js';

const market = batchedMarket('KXA-1', 'KXA');

const rowOf = (seed: number): BookRow => {
  const book = newBook();
  for (let level = 0; level < 60; level += 1) {
    book.set(level % 2 === 0 ? 'yes' : 'no', (1 + ((level * 7 + seed) % 97)) * 10_000, (level + seed) * one + level);
  }
  const [us, coin] = [1_771_993_200_000_000 + seed, seed % 3 === 0];
  const coinOf = { coinPrice: coin ? '65434.98' : null, coinAgeUs: coin ? seed : null };
  return { us, venueUs: seed % 2 === 0 ? us - 7 : null, seq: seed % 5 === 0 ? null : seed, book, ...coinOf };
};

describe('a batch of books', () => {
  it('has the same block after another batch as without one', () => {
    const [used, fresh] = [new BookBatch(), new BookBatch()];
    for (let seed = 0; seed < 50; seed += 1) used.add(market, rowOf(seed));
    used.take();
    for (const batch of [used, fresh]) for (let seed = 7; seed < 12; seed += 1) batch.add(market, rowOf(seed));
    const [again, first] = [used.take(), fresh.take()];
    assert.deepEqual(Buffer.from(again?.body ?? []), Buffer.from(first?.body ?? []));
  });

  it('has the keys of a batch of texts, so that repeated rows count alike', () => {
    const [columns, texts] = [new BookBatch(), batchBuilder('l2')];
    for (let seed = 0; seed < 20; seed += 1) {
      const row = rowOf(seed);
      const text = bookRowTexts(row);
      columns.add(market, row);
      texts.add(market, text, { ...text, digest: row.book.digest() });
    }
    const [byColumn, byText] = [columns.take(), texts.take()];
    assert.ok(byColumn && byText);
    assert.deepEqual(byColumn.markets, byText.markets);
    for (const key of ['us', 'values'] as const)
      assert.deepEqual(byColumn.keys[key].slice(0, 20), byText.keys[key].slice(0, 20));
    assert.equal(new Set(byColumn.keys.values.slice(0, 20)).size, 20);
  });

  it('is full at the size of a message, and grows for a book that has more levels than that', () => {
    const batch = new BookBatch();
    let rows = 1;
    while (!batch.add(market, rowOf(rows))) rows += 1;
    const full = batch.take();
    assert.equal(full?.rows, rows);
    assert.ok(full.body.length > 650_000 && full.body.length < 710_000, String(full.body.length));
    const book = newBook();
    for (let price = 1; price <= 80_000; price += 1) book.set('no', price, price);
    assert.equal(batch.add(market, { ...rowOf(1), book }), true);
    assert.equal(batch.take()?.rows, 1);
  });
});
