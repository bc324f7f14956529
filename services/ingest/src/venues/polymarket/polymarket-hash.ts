import { createHash } from 'node:crypto';
import type { Book } from '../../model/book.js';
import type { Level } from '../../model/feed-message.js';
import { isObject, type JsonObject } from '../../sources/source.js';
import { millionthsText, one } from '../../values/millionths.js';

/** What the hash of a token's book covers besides its levels. */
interface Terms {
  readonly min_order_size: string;
  readonly tick_size: string;
  readonly neg_risk: boolean;
}

interface KnownToken {
  readonly market: string;
  readonly terms: Terms;
  /** The last trade price of the venue, the likeliest first. It follows a trade with a delay, and has other digits. */
  readonly prices: string[];
  checkedMs: number;
}

const tokensMax = 50_000;
const pricesMax = 8;
/** A check of a whole book costs as much as about ten changes. */
const checkEveryMs = 10_000;
/** The orders' smallest sizes that markets have. The channel does not say which. */
const minOrderSizes = ['5', '15', '1', '10', '20', '50', '100', '0'] as const;

/**
 * The hash that the venue writes beside a book and beside each change: SHA-1 of its REST answer about the token with an
 * empty hash. The channel leaves out two terms of the market, which are found with the first whole book.
 */
export class BookHashes {
  private readonly tokens = new Map<string, KnownToken>();

  /** `unknown`: the message lacks what the hash covers, or no terms fit. */
  ofBook(message: JsonObject): 'verified' | 'contradicted' | 'unknown' {
    const { asset_id: token, hash, market, tick_size: tickSize, last_trade_price: lastPrice } = message;
    if (typeof token !== 'string' || typeof market !== 'string' || typeof tickSize !== 'string') return 'unknown';
    if (typeof lastPrice !== 'string' || !isHash(hash)) return 'unknown';
    const [bids, asks] = [levelsIn(message['bids']), levelsIn(message['asks'])];
    if (bids === null || asks === null) return 'unknown';
    const known = this.tokens.get(token);
    const about = { market, token, timestamp: message['timestamp'], bids, asks };
    for (const price of [lastPrice, ...(known?.prices ?? [])])
      for (const terms of termsOf(message, tickSize, known?.terms)) {
        if (hashOf({ ...about, terms, price }) !== hash) continue;
        this.see(token, { market, terms, prices: [price, ...(known?.prices ?? [])].slice(0, pricesMax), checkedMs: 0 });
        return 'verified';
      }
    return known === undefined ? 'unknown' : 'contradicted';
  }

  trade(message: JsonObject): void {
    const { asset_id: token, price } = message;
    if (typeof token !== 'string' || typeof price !== 'string') return;
    const prices = this.tokens.get(token)?.prices;
    for (const text of new Set([price, padded(price)]))
      if (prices && !prices.includes(text)) prices.splice(1, Math.max(0, prices.length - pricesMax + 1), text);
  }

  /** Whether a book has the hash of a change, once it is applied. Null if that cannot be checked, or was a moment ago. */
  ofChange(change: JsonObject, message: JsonObject, isYes: boolean): ((book: Book) => boolean) | null {
    const { asset_id: token, hash } = change;
    const known = typeof token === 'string' ? this.tokens.get(token) : undefined;
    const timestamp = message['timestamp'];
    const ms = Number(timestamp);
    if (typeof token !== 'string' || known === undefined || !isHash(hash)) return null;
    if (ms - known.checkedMs < checkEveryMs) return null;
    return (book) => {
      const [own, other] = isYes ? (['yes', 'no'] as const) : (['no', 'yes'] as const);
      const about = {
        market: known.market,
        token,
        timestamp,
        bids: textOf(book.levels(own), (price) => price),
        asks: textOf(book.levels(other), (price) => one - price),
        terms: known.terms,
      };
      const price = known.prices.find((text) => hashOf({ ...about, price: text }) === hash);
      if (price === undefined) return false;
      known.checkedMs = ms;
      known.prices.splice(known.prices.indexOf(price), 1);
      known.prices.unshift(price);
      return true;
    };
  }

  /** Whether `ofChange` may check a change of a token at a time. */
  isDue(token: string, ms: number): boolean {
    const known = this.tokens.get(token);
    return known !== undefined && !(ms - known.checkedMs < checkEveryMs);
  }

  /** The step of a market changes for all of its later hashes. */
  tickSize(token: string, step: unknown): void {
    const known = this.tokens.get(token);
    if (known && typeof step === 'string') this.see(token, { ...known, terms: { ...known.terms, tick_size: step } });
  }

  private see(token: string, known: KnownToken): void {
    if (this.tokens.size >= tokensMax && !this.tokens.has(token)) this.tokens.clear();
    this.tokens.set(token, known);
  }
}

const isHash = (hash: unknown): hash is string => typeof hash === 'string' && /^[0-9a-f]{40}$/.test(hash);

/** `0.61` is also written as `0.610`. */
const padded = (price: string): string => (/^\d\.\d{1,2}$/.test(price) ? price.padEnd(5, '0') : price);

/** Levels as the hash covers them: the texts of the message, in its order. */
const levelsIn = (levels: unknown): string | null => {
  if (!Array.isArray(levels) || !levels.every(isObject)) return null;
  return JSON.stringify(levels.map(({ price, size }) => ({ price, size })));
};

/** Bids ascend and asks descend, so the best level is the last one. */
const textOf = (levels: readonly Level[], priceOf: (price: number) => number): string => {
  const texts = levels.map(
    ([price, size]) => `{"price":"${millionthsText(priceOf(price))}","size":"${millionthsText(size)}"}`,
  );
  return `[${texts.toReversed().join(',')}]`;
};

/** The terms of the message itself, else those of an earlier book of the token, else the usual ones. */
function* termsOf(message: JsonObject, tickSize: string, known: Terms | undefined): Generator<Terms, void, undefined> {
  const { min_order_size: size, neg_risk: negRisk } = message;
  if (known) yield { ...known, tick_size: tickSize };
  for (const min_order_size of typeof size === 'string' ? [size] : minOrderSizes)
    for (const neg_risk of typeof negRisk === 'boolean' ? [negRisk] : [false, true])
      yield { min_order_size, tick_size: tickSize, neg_risk };
}

interface HashedBook {
  readonly market: string;
  readonly token: string;
  readonly timestamp: unknown;
  /** JSON. */
  readonly bids: string;
  readonly asks: string;
  readonly terms: Terms;
  readonly price: string;
}

/** In the order of the fields of the venue's answer. */
const hashOf = ({ market, token, timestamp, bids, asks, terms, price }: HashedBook): string => {
  const { min_order_size, tick_size, neg_risk } = terms;
  const head = JSON.stringify({ market, asset_id: token, timestamp, hash: '' }).slice(0, -1);
  const tail = JSON.stringify({ min_order_size, tick_size, neg_risk, last_trade_price: price }).slice(1);
  return createHash('sha1').update(`${head},"bids":${bids},"asks":${asks},${tail}`).digest('hex');
};
