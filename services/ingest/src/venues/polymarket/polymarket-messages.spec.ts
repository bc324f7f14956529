import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketMessages, polymarketChannel } from '@almanac/recordings';
import type { BookMessage } from '../../model/feed-message.js';
import { polymarketMessages } from './polymarket-messages.js';
import { followBook, gammaMarket as market } from './testing/follow-book.js';

const us = 1_778_796_500_000_000;
const yes = '104903952050248120378328631713712037572165480644531658468314531590451186128669';
const no = '93557775814410483419246374626456171597128311877288458969314973221123008053776';

const announced = () => {
  const messages = polymarketMessages();
  messages.read(us, market('btc-updown-5m-1780876500', [yes, no]));
  return { read: (message: unknown): readonly BookMessage[] => messages.read(us, JSON.stringify(message)) };
};

const at = { us, sid: null, seq: null, venueUs: 1_757_908_892_351_000, ticker: 'btc-updown-5m-1780876500' };
const timestamp = '1757908892351';
const reasonsOf = (messages: readonly BookMessage[]): readonly string[] =>
  messages.flatMap((message) => (message.kind === 'refused' ? message.reason : []));

test('eight messages make a book whose top equals that of the venue at each change', () => {
  const { lines, tokens, tops, levels, best, deepest } = marketMessages(1);
  const { book, topsCompared } = followBook(lines, market('btc', tokens));
  assert.strictEqual(topsCompared, tops);
  assert.deepStrictEqual([book.yes.size, book.no.size], [levels.yes, levels.no]);
  assert.strictEqual(book.yes.get(600_000), millionths(best[1]));
  assert.strictEqual(book.yes.get(10_000), millionths(deepest[1]));
});

const millionths = (size: string): number => Math.round(Number(size) * 1_000_000);

test('every type of message of the market channel is read', () => {
  const { token, messages } = polymarketChannel;
  const reader = polymarketMessages();
  reader.read(us, market('above', [token, `${token}0`]));
  const kinds = Object.entries(messages).map(([name, message]) => {
    const frame = typeof message === 'string' ? message : JSON.stringify(message);
    return `${name}: ${reader
      .read(us, frame)
      .map(({ kind }) => kind)
      .join(' ')}`;
  });
  assert.deepStrictEqual(kinds, [
    'subscriptionRequest: refused',
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

test('asks of yes are bids on no, bids of no stay bids, and asks of no are bids on yes', () => {
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

test('of the two tokens of a market the one whose book came first counts, and the other one when it is alone', () => {
  const { read } = announced();
  const book = { event_type: 'book', bids: [], asks: [], timestamp };
  const ofYes = { asset_id: yes, price: '0.6', size: '460', side: 'BUY', best_bid: '0.6', best_ask: '1' };
  const ofNo = { asset_id: no, price: '0.4', size: '460', side: 'SELL', best_bid: '0', best_ask: '0.4' };
  const level = { kind: 'level', ...at, side: 'yes', price: 600_000, size: 460_000_000 };
  const top = { kind: 'top', ...at, bid: 600_000, ask: null, checks: 'bid' };
  assert.deepStrictEqual(
    read([
      { ...book, asset_id: yes },
      { ...book, asset_id: no },
    ]).map(({ kind }) => kind),
    ['snapshot', 'activity'],
  );
  assert.deepStrictEqual(read({ event_type: 'price_change', timestamp, price_changes: [ofNo, ofYes] }), [level, top]);
  assert.deepStrictEqual(read({ event_type: 'price_change', timestamp, price_changes: [ofNo] }), [level, top]);
});

test('a resolved market has the result of the token that won', () => {
  const message = { event_type: 'market_resolved', assets_ids: [yes, no], winning_asset_id: no, timestamp };
  const fact = { kind: 'market', ticker: at.ticker, venue_status: 'resolved', result: 'no', settlement_us: at.venueUs };
  const values = { venue_status: 'resolved', result: 'no', settlement_us: String(at.venueUs) };
  const history = [{ known_us: us, basis: 'recorded', values }];
  assert.deepStrictEqual(announced().read(message), [{ kind: 'market', us, fact: { ...fact, history } }]);
});

test('an unreadable message is refused with its reason, and makes uncertain what it may have changed', () => {
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
  refusedWith('the token belongs to no known market', null, changed({ asset_id: '5' }));
  refusedWith('time: not in milliseconds', at.ticker, changed({}, 'soon'));
  refusedWith('unknown message type', null, announced().read({ event_type: 'rumour' }));
  const badBook = { event_type: 'book', asset_id: yes, bids: [{ price: '0.5' }], asks: [], timestamp };
  refusedWith('size: not a number from 0', at.ticker, announced().read(badBook));

  const cut = polymarketMessages().read(us, '[{"market":"0x05c2","price_ch');
  assert.deepStrictEqual(reasonsOf(cut), ['incomplete JSON object']);
  assert.deepStrictEqual(cut[1], {
    kind: 'lost',
    us,
    ticker: null,
    sid: null,
    reason: 'incomplete JSON object',
  });
});
