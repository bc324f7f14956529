import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { recording } from '@almanac/testing';
import { z } from 'zod';
import { Rebuild } from '../../books/rebuild.js';
import { polymarketMessages } from './polymarket-messages.js';
import { followBook, gammaMarket } from './testing/follow-book.js';

const us = 1_778_796_500_000_000;
const yes = '104903952050248120378328631713712037572165480644531658468314531590451186128669';
const no = '93557775814410483419246374626456171597128311877288458969314973221123008053776';
const nvda = '76043073756653678226373981964075571318267289248134717369284518995922789326425';

const excerpt = recording('data/polymarket/ws_market_excerpt.jsonl');
const schemaFile = recording('specs/polymarket.asyncapi.json');

test(
  'the eight real messages make a book whose top equals that of the venue at each change',
  { skip: excerpt.skip },
  () => {
    const lines = readFileSync(excerpt.path, 'utf8').trim().split('\n');
    assert.strictEqual(lines.length, 8);
    const { book, topsCompared } = followBook(lines, gammaMarket('btc', [yes, no]));
    assert.strictEqual(topsCompared, 5);
    assert.deepStrictEqual([book.yes.size, book.no.size], [60, 39]);
    assert.strictEqual(book.yes.get(600_000), 456_840_000);
    assert.strictEqual(book.yes.get(10_000), 12_145_760_000);
    assert.strictEqual(book.no.get(390_000), 227_160_000, 'the ask of 0.61 is a bid of 0.39 on no');
  },
);

const examples = z.object({ examples: z.array(z.object({ payload: z.unknown() })).optional() });
test(
  'the hashes of the real book and of changes show that our book is that of the venue',
  { skip: excerpt.skip },
  () => {
    const [first = '', ...others] = readFileSync(excerpt.path, 'utf8').trim().split('\n');
    const messages = polymarketMessages();
    messages.read(us, gammaMarket('btc', [yes, no]));
    const rebuilt = (lines: readonly string[]) => {
      const rebuild = new Rebuild(1, {
        row: () => undefined,
        span: () => undefined,
        fact: () => undefined,
        refused: assert.fail,
      });
      for (const line of lines) for (const message of messages.read(us, line)) rebuild.take(message);
      return rebuild.counts;
    };
    // The book, and the first of the changes within 10 s.
    assert.partialDeepStrictEqual(rebuilt([first, ...others]), { snapshots: 1, changes: 5, verified: 2, gaps: 0 });
    const altered = first.replace('"11645.76"', '"11645.77"');
    assert.notEqual(altered, first);
    assert.partialDeepStrictEqual(rebuilt([first, altered]), { snapshots: 2, verified: 1, gaps: 1 });
  },
);

const schema = z.object({ components: z.object({ messages: z.record(z.string(), examples) }) });

test("every message of the venue's schema is read", { skip: schemaFile.skip }, () => {
  const text = readFileSync(schemaFile.path, 'utf8');
  const messages = polymarketMessages();
  // Each token of the examples becomes its own market.
  for (const token of new Set(text.match(/\b\d{76,78}\b/g)))
    messages.read(us, gammaMarket(`m-${token.slice(0, 6)}`, [token, `${token}0`]));
  messages.read(us, gammaMarket('nvda', [nvda, `${nvda}1`]));
  const kinds = Object.entries(schema.parse(JSON.parse(text)).components.messages).map(
    ([name, { examples: given }]) => {
      const frame = given ? JSON.stringify(given[0]?.payload) : name.toUpperCase();
      const read = messages.read(us, frame).map(({ kind }) => kind);
      return `${name}: ${read.join(' ')}`;
    },
  );
  assert.deepStrictEqual(kinds, [
    'subscriptionRequest: refused',
    'subscriptionRequestUpdate: refused',
    'ping: refused lost',
    'pong: activity',
    'book: snapshot',
    'priceChange: level top',
    'lastTradePrice: trade',
    'tickSizeChange: market',
    'bestBidAsk: top',
    'newMarket: activity',
    'marketResolved: market',
  ]);
});
