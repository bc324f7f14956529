import { isDeepStrictEqual } from 'node:util';
import { type CatalogueFact, marketState, type MarketState } from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';
import { said, saidText, spoken } from '../record/said.js';

export type MarketFact = Omit<Extract<CatalogueFact, { kind: 'market' }>, 'kind'>;
type MarketRecorded = { readonly type: 'MarketRecorded'; readonly data: MarketFact };
type ObservedPrice = MarketState['first_price'];

/** A market as sources tell it. Saying again what is known changes nothing. */
export const marketDecider: Decider<MarketState, MarketFact, MarketRecorded> = {
  state: marketState,
  decide: (fact, state) =>
    isDeepStrictEqual(afterFact(state, fact), state) ? null : { type: 'MarketRecorded', data: spoken(fact) },
  evolve: (state, { data }) => afterFact(state, data),
};

const afterFact = (state: MarketState | undefined, fact: MarketFact): MarketState => {
  const known = state ?? marketState.parse({ ticker: fact.ticker });
  const open_us = said(fact.open_us, known.open_us);
  const close_us = said(fact.close_us, known.close_us);
  const whileOpen = (price: ObservedPrice | undefined) => observedWithin({ open_us, close_us }, price ?? null);
  return {
    ticker: known.ticker,
    series: said(fact.series, known.series),
    event_ticker: said(fact.event_ticker, known.event_ticker),
    title: saidText(fact.title, known.title),
    category: saidText(fact.category, known.category),
    category_label: saidText(fact.category_label, known.category_label),
    capture: known.capture === 'l2' ? 'l2' : said(fact.capture, known.capture),
    venue_status: saidText(fact.venue_status, known.venue_status),
    result: saidText(fact.result, known.result),
    strike_type: saidText(fact.strike_type, known.strike_type),
    open_us,
    close_us,
    settlement_us: said(fact.settlement_us, known.settlement_us),
    floor_strike: said(fact.floor_strike, known.floor_strike),
    coin_price_start: said(fact.coin_price_start, known.coin_price_start),
    coin_price_end: said(fact.coin_price_end, known.coin_price_end),
    expiration_value: said(fact.expiration_value, known.expiration_value),
    first_price: earlier(whileOpen(known.first_price), whileOpen(fact.first_price)),
    last_price: later(whileOpen(known.last_price), whileOpen(fact.last_price)),
  };
};

/**
 * A price from before the opening or after the close is not the market's. What is kept is looked at again too, since
 * the times may become known after the price; both ends count as open.
 */
const observedWithin = (
  { open_us, close_us }: Pick<MarketState, 'open_us' | 'close_us'>,
  price: ObservedPrice,
): ObservedPrice => {
  if (price === null) return null;
  return (open_us !== null && price.us < open_us) || (close_us !== null && price.us > close_us) ? null : price;
};

/** Of two prices of one microsecond the one said last counts, as with observations. */
const earlier = (known: ObservedPrice, news: ObservedPrice): ObservedPrice =>
  known === null || (news !== null && news.us <= known.us) ? news : known;

const later = (known: ObservedPrice, news: ObservedPrice): ObservedPrice =>
  known === null || (news !== null && news.us >= known.us) ? news : known;
