import { createHash } from 'node:crypto';
import { dirtyCells } from './dirty-quotes.js';
import { marketOf } from './hours.js';

const columns = 'us market token sent price size side bid ask'.split(' ');
const markets = 4;
const startUs = 1_771_993_200_000_000;
const cents = 100;

/** The sizes of the bids and asks of a token, by cents. */
interface Sides {
  readonly bids: Map<number, string>;
  readonly asks: Map<number, string>;
}

const priceText = (price: number): string => String(price / cents);

const levelsOf = (levels: ReadonlyMap<number, string>, order: 1 | -1) =>
  Array.from(levels)
    .toSorted(([a], [b]) => order * (a - b))
    .map(([price, size]) => ({ price: priceText(price), size }));

const bestOf = ({ bids, asks }: Sides) => ({
  best_bid: priceText(Math.max(0, ...bids.keys())),
  best_ask: priceText(Math.min(cents, ...asks.keys())),
});

const terms = { min_order_size: '5', tick_size: '0.01', neg_risk: false, last_trade_price: '0.5' };

/** A book as the venue states it, with its hash. */
const bookOf = (market: string, token: string, timestamp: string, { bids, asks }: Sides) => {
  const levels = { bids: levelsOf(bids, 1), asks: levelsOf(asks, -1) };
  const answer = { market, asset_id: token, timestamp, hash: '', ...levels, ...terms };
  return { ...answer, hash: createHash('sha1').update(JSON.stringify(answer)).digest('hex') };
};

/** Frames of Polymarket's changes of both tokens, with hashes of some, and with every kind of dirt. */
export const dirtyChanges = (seed: number, { frames: count = 500, rarely = 6 } = {}): string => {
  const { below, pick, beginRow, dirty } = dirtyCells(seed, { columns: columns.length, rarely });
  const sides = Array.from({ length: markets }, (): Sides => ({ bids: new Map(), asks: new Map() }));
  let us = startUs;
  const lines = Array.from({ length: count }, (_, index) => {
    beginRow();
    us += below(4) === 0 ? 0 : below(400_000);
    const at = dirty(String(us), [String(us - 3_000_000), '', 'x']);
    const place = index < markets ? index : below(markets);
    const { condition, yes, no } = marketOf(place);
    const of = sides[place] ?? { bids: new Map(), asks: new Map() };
    const market = dirty(condition, ['', '0xä']);
    const token = dirty(yes, ['', '77', no]);
    const timestamp = dirty(String(Math.floor(us / 1_000) - 9), ['', '12', 'x', '1771993200000.5']);
    if (index < markets || below(40) === 0) {
      for (const level of Array.from({ length: 5 }, (__, deep) => deep)) {
        of.bids.set(50 - level, String(1 + below(900)));
        of.asks.set(52 + level, `${1 + below(900)}.5`);
      }
      const book = { ...bookOf(market, token, timestamp, of), event_type: 'book' };
      return lineOf(at, below(2) === 0 ? [book] : { ...book, hash: below(3) === 0 ? 'x' : book.hash });
    }
    const isBid = below(2) === 0;
    const price = isBid ? 45 + below(6) : 52 + below(6);
    const size = below(4) === 0 ? '0' : `${below(900)}.25`;
    const levels = isBid ? of.bids : of.asks;
    if (Number(size) === 0) levels.delete(price);
    else levels.set(price, size);
    const { hash } = bookOf(condition, yes, timestamp, of);
    const { best_bid, best_ask } = bestOf(of);
    const change = {
      asset_id: token,
      price: dirty(priceText(price), ['1', '0', '', 'x', '0.1234567', '00.5']),
      size: dirty(size, ['-1', '', 'x', '1.23456789']),
      side: dirty(isBid ? 'BUY' : 'SELL', ['buy', '']),
      ...(below(3) === 0 && { hash }),
      best_bid: dirty(best_bid, ['0', '', 'x', '0.01']),
      best_ask: dirty(best_ask, ['1', '', '0.99']),
    };
    const other = { asset_id: no, price: priceText(cents - price), size, side: isBid ? 'SELL' : 'BUY' };
    const { best_ask: ___, ...halfStated } = change;
    const foreign = { ...other, asset_id: marketOf((place + 1) % markets).no };
    const changes = pick([
      [change, other],
      [other, change],
      [change],
      [halfStated, other],
      [change, change],
      [change, foreign],
    ]);
    const body = below(30) === 0 ? { price_changes: [other] } : { price_changes: changes };
    return lineOf(at, { market, ...body, timestamp, event_type: 'price_change' });
  });
  return `${lines.map((line) => (below(rarely * 30) === 0 ? line.slice(0, -12) : line)).join('\n')}\n`;
};

const lineOf = (at: string, frame: object): string =>
  `{"recv_ts_ns":${at}000,"raw":${JSON.stringify(JSON.stringify(frame))}}`;
