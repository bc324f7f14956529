import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sharedData } from '@almanac/testing';
import { z } from 'zod';
import type { BookMessage } from '../books/book-message.js';
import { polymarketMessages } from './polymarket-messages.js';

const us = 1_778_796_500_000_000;
const yes = '104903952050248120378328631713712037572165480644531658468314531590451186128669';
const no = '93557775814410483419246374626456171597128311877288458969314973221123008053776';

/** A market of gamma with the keys that make it one. */
const market = (slug: string, tokens: readonly string[]): string =>
  JSON.stringify({
    slug,
    conditionId: '0x05c2',
    outcomes: '["Up", "Down"]',
    question: 'Bitcoin Up or Down - June 7, 7:55PM-8:00PM ET',
    endDate: '2026-06-08T00:00:00Z',
    clobTokenIds: JSON.stringify(tokens),
  });

const announced = () => {
  const messages = polymarketMessages();
  messages.read(us, market('btc-updown-5m-1780876500', [yes, no]));
  return { read: (message: unknown): readonly BookMessage[] => messages.read(us, JSON.stringify(message)) };
};

const at = { us, sid: null, seq: null, venueUs: 1_757_908_892_351_000, ticker: 'btc-updown-5m-1780876500' };
const timestamp = '1757908892351';
const reasonsOf = (messages: readonly BookMessage[]): readonly string[] =>
  messages.flatMap((message) => (message.kind === 'refused' ? message.reason : []));

const folder = sharedData('polymarket');
const without = folder === undefined ? '../shared/data is not there' : false;

test('the eight real messages make a book whose top is what the venue says, at each change', { skip: without }, () => {
  const messages = polymarketMessages();
  messages.read(us, market('btc', [yes, no]));
  const book = { yes: new Map<number, number>(), no: new Map<number, number>() };
  let tops = 0;
  const lines = readFileSync(join(folder ?? '', 'ws_market_excerpt.jsonl'), 'utf8')
    .trim()
    .split('\n');
  for (const message of lines.flatMap((line) => messages.read(us, line))) {
    assert.notStrictEqual(message.kind, 'refused');
    if (message.kind === 'snapshot') for (const side of ['yes', 'no'] as const) book[side] = new Map(message[side]);
    if (message.kind === 'level') {
      if (message.size > 0) book[message.side].set(message.price, message.size);
      else book[message.side].delete(message.price);
    }
    if (message.kind !== 'top') continue;
    tops += 1;
    assert.strictEqual(Math.max(...book.yes.keys()), message.bid);
    assert.strictEqual(1_000_000 - Math.max(...book.no.keys()), message.ask);
  }
  assert.strictEqual(lines.length, 8);
  assert.strictEqual(tops, 5);
  assert.deepStrictEqual([book.yes.size, book.no.size], [60, 39]);
  assert.strictEqual(book.yes.get(600_000), 456_840_000);
  assert.strictEqual(book.yes.get(10_000), 12_145_760_000);
  assert.strictEqual(book.no.get(390_000), 227_160_000, 'the ask of 0.61 is a bid of 0.39 on no');
});

const examples = z.object({ examples: z.array(z.object({ payload: z.unknown() })).optional() });
const schema = z.object({ components: z.object({ messages: z.record(z.string(), examples) }) });

test("every message of the venue's schema is read", { skip: without }, () => {
  const text = readFileSync(join(folder ?? '', '..', '..', 'specs', 'polymarket.asyncapi.json'), 'utf8');
  const messages = polymarketMessages();
  // The tokens of the examples, as markets of their own.
  for (const token of new Set(text.match(/\b\d{76,78}\b/g)))
    messages.read(us, market(`m-${token.slice(0, 6)}`, [token, `${token}0`]));
  messages.read(us, market('nvda', [nvda, `${nvda}1`]));
  const kinds = Object.entries(schema.parse(JSON.parse(text)).components.messages).map(([name, { examples: told }]) => {
    const frame = told ? JSON.stringify(told[0]?.payload) : name.toUpperCase();
    const said = messages.read(us, frame).map(({ kind }) => kind);
    return `${name}: ${said.join(' ')}`;
  });
  assert.deepStrictEqual(kinds, [
    'subscriptionRequest: refused',
    'subscriptionRequestUpdate: refused',
    'ping: refused lost',
    'pong: heard',
    'book: snapshot',
    'priceChange: level top',
    'lastTradePrice: heard',
    'tickSizeChange: heard',
    'bestBidAsk: top',
    'newMarket: heard',
    'marketResolved: market',
  ]);
});
const nvda = '76043073756653678226373981964075571318267289248134717369284518995922789326425';

test('asks of yes are bids on no, bids of no stay, and its asks are bids on yes', () => {
  const book = {
    event_type: 'book',
    bids: [{ price: '0.0090', size: '66031.01' }],
    asks: [
      { price: '0.991', size: '5' },
      { price: '0.52', size: '0' },
    ],
    timestamp,
  };
  assert.deepStrictEqual(announced().read([{ ...book, asset_id: yes }]), [
    { kind: 'snapshot', ...at, yes: [[9_000, 66_031_010_000]], no: [[9_000, 5_000_000]] },
  ]);
  assert.deepStrictEqual(announced().read([{ ...book, asset_id: no }]), [
    { kind: 'snapshot', ...at, yes: [[9_000, 5_000_000]], no: [[9_000, 66_031_010_000]] },
  ]);
});

test('of the two tokens of a market the one whose book came first counts, and the other where it stands alone', () => {
  const { read } = announced();
  const book = { event_type: 'book', bids: [], asks: [], timestamp };
  const ofYes = { asset_id: yes, price: '0.6', size: '460', side: 'BUY', best_bid: '0.6', best_ask: '1' };
  const ofNo = { asset_id: no, price: '0.4', size: '460', side: 'SELL', best_bid: '0', best_ask: '0.4' };
  const level = { kind: 'level', ...at, side: 'yes', price: 600_000, size: 460_000_000 };
  const top = { kind: 'top', ...at, bid: 600_000, ask: null };
  assert.deepStrictEqual(
    read([
      { ...book, asset_id: yes },
      { ...book, asset_id: no },
    ]).map(({ kind }) => kind),
    ['snapshot', 'heard'],
  );
  assert.deepStrictEqual(read({ event_type: 'price_change', timestamp, price_changes: [ofNo, ofYes] }), [level, top]);
  assert.deepStrictEqual(read({ event_type: 'price_change', timestamp, price_changes: [ofNo] }), [level, top]);
});

test('a market that is resolved says its result by the token that won', () => {
  const told = { event_type: 'market_resolved', assets_ids: [yes, no], winning_asset_id: no, timestamp };
  const fact = { kind: 'market', ticker: at.ticker, venue_status: 'resolved', result: 'no', settlement_us: at.venueUs };
  assert.deepStrictEqual(announced().read(told), [{ kind: 'market', us, fact }]);
});

test('what cannot be read is refused with its reason, and puts in doubt what it may have changed', () => {
  const change = { asset_id: yes, price: '0.6', size: '460', side: 'BUY' };
  const changed = (fields: object, time: unknown = timestamp) =>
    announced().read({ event_type: 'price_change', timestamp: time, price_changes: [{ ...change, ...fields }] });
  const refusedWith = (reason: string, ticker: string | null, messages: readonly BookMessage[]): void => {
    assert.deepStrictEqual(reasonsOf(messages), [reason]);
    const [message] = messages;
    assert.strictEqual(message?.kind === 'refused' ? message.ticker : undefined, ticker);
  };
  refusedWith('price: not between 0 and 1', at.ticker, changed({ price: '1.2' }));
  refusedWith('price: not between 0 and 1', at.ticker, changed({ price: '1' }));
  refusedWith('size: not a number from 0', at.ticker, changed({ size: 'many' }));
  refusedWith('size: not a number from 0', at.ticker, changed({ size: '-1' }));
  refusedWith('side: neither BUY nor SELL', at.ticker, changed({ side: 'HOLD' }));
  refusedWith('token of no known market', null, changed({ asset_id: '5' }));
  refusedWith('time: not in milliseconds', at.ticker, changed({}, 'soon'));
  refusedWith('unknown type of message', null, announced().read({ event_type: 'rumour' }));
  const badBook = { event_type: 'book', asset_id: yes, bids: [{ price: '0.5' }], asks: [], timestamp };
  refusedWith('size: not a number from 0', at.ticker, announced().read(badBook));

  const cut = polymarketMessages().read(us, '[{"market":"0x05c2","price_ch');
  assert.deepStrictEqual(reasonsOf(cut), ['not a whole JSON object']);
  assert.deepStrictEqual(cut[1], {
    kind: 'lost',
    us,
    ticker: null,
    sid: null,
    reason: 'not a whole JSON object',
  });
});
