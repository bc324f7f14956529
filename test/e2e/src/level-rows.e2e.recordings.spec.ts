import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it as test } from 'node:test';
import { bookResponse } from '@almanac/contracts';
import { recording } from '@almanac/testing';
import type { ApiClient } from './api.js';
import { type SystemHarness, startHarness } from './harness.js';
import { allBooks, type ExpectedBook, gunzipped, type Levels, millionth, shownBook } from './recordings/all-books.js';

const { path: folder, skip } = recording('data/polymarket-clob');

const bestFirst = (side: ReadonlyMap<number, number>): Levels => Array.from(side).toSorted(([a], [b]) => b - a);

/** The book of the first token after each of its timestamps. Read independently of the importer. */
const replay = (path: string): { readonly ticker: string; readonly books: readonly ExpectedBook[] } => {
  const [header = '', ...lines] = gunzipped(path).toString('utf8').trimEnd().split('\n');
  assert.equal(header.trim(), 'market_slug,asset_id,market_id,event_type,price,side,size,hash,timestamp');
  const rows = lines.map((line) => line.trim().split(','));
  const [ticker = '', token] = rows[0] ?? [];
  const sides = { bid: new Map<number, number>(), ask: new Map<number, number>() };
  const books = new Map<number, ExpectedBook>();
  let lastMessage = '';
  for (const [, asset, , event, price, side, size, hash = '', time] of rows) {
    if (asset !== token || (side !== 'bid' && side !== 'ask')) continue;
    const message = `${event ?? ''} ${hash} ${time ?? ''}`;
    if (event === 'book' && message !== lastMessage) for (const one of Object.values(sides)) one.clear();
    lastMessage = message;
    const at = side === 'bid' ? Number(price) : millionth(1 - Number(price));
    if (Number(size) === 0) sides[side].delete(at);
    else sides[side].set(at, Number(size));
    const us = Number(time) * 1_000;
    books.set(us, { us, yes: bestFirst(sides.bid), no: bestFirst(sides.ask) });
  }
  return { ticker, books: [...books.values()] };
};

describe('real order books of one line a level', () => {
  const it = (guarantee: string, run: () => Promise<void>): void => void test(guarantee, { skip }, run);
  let running: SystemHarness;
  let api: ApiClient;
  const paths = ['20250617_mlb-sd-lad-2025-06-17', '20250624_mlb-bos-laa-2025-06-24'].map((name) =>
    join(folder, `${name}.csv.gz`),
  );
  const games: ReturnType<typeof replay>[] = [];

  if (skip === false) {
    before(async () => {
      games.push(...paths.map(replay));
      running = await startHarness();
      api = await running.client('full_book');
      const { code, output } = await running.import(...paths, '--sample', 'every-change');
      assert.equal(code, 0, output);
    });
    after(() => running.stop());
  }

  const checkGames = async (): Promise<void> => {
    for (const { ticker, books } of games) {
      const [first] = books;
      assert.ok(first);
      const stored = await allBooks(api, ticker, first);
      assert.deepEqual(stored.map(shownBook), books);
      for (const { ts, venue_ts } of stored) assert.equal(venue_ts, ts);
    }
  };

  it('have the book of both games after each message', async () => {
    assert.deepEqual(
      games.map(({ books }) => books.length),
      [3_942, 4_912],
    );
    await checkGames();
  });

  it('say that the book of a game is exact at any time between its first and its last message', async () => {
    for (const { ticker, books } of games) {
      const [at, next] = [books[1_000], books[1_001]];
      assert.ok(at && next);
      const between = (at.us + next.us) / 2e6;
      const book = await api.json(bookResponse, `/markets/${ticker}/book?at_ts=${between}`);
      assert.deepEqual([book.basis, book.orderbook_yes, book.orderbook_no], ['every_change', at.yes, at.no]);
    }
  });

  it('do not change when they are imported again', async () => {
    const { code, output } = await running.import(...paths.toReversed(), '--sample', 'every-change');
    assert.equal(code, 0, output);
    await checkGames();
  });
});
