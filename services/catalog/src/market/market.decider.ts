import { isDeepStrictEqual } from 'node:util';
import { type CatalogueFact, mapNames, marketFields, marketState, type MarketState } from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';
import { mergeValue, mergeText, statedFields } from '../record/merge.js';

export type MarketFact = Omit<Extract<CatalogueFact, { kind: 'market' }>, 'kind'>;
type MarketRecorded = { readonly type: 'MarketRecorded'; readonly data: MarketFact };
type ObservedPrice = MarketState['first_price'];

/** A market as sources state it. A repeated fact changes nothing. */
export const marketDecider: Decider<MarketState, MarketFact, MarketRecorded> = {
  state: marketState,
  decide: (fact, state) =>
    isDeepStrictEqual(applyFact(state, fact), state) ? null : { type: 'MarketRecorded', data: statedFields(fact) },
  evolve: (state, { data }) => applyFact(state, data),
};

const applyFact = (state: MarketState | undefined, fact: MarketFact): MarketState => {
  const known = state ?? marketState.parse({ ticker: fact.ticker });
  const times = mapNames(marketFields.times, (name) => mergeValue(fact[name], known[name]));
  const whileOpen = (price: ObservedPrice | undefined) => observedWithin(times, price ?? null);
  return {
    ticker: known.ticker,
    ...mapNames(marketFields.texts, (name) => mergeText(fact[name], known[name])),
    capture: known.capture === 'l2' ? 'l2' : mergeValue(fact.capture, known.capture),
    ...times,
    ...mapNames(marketFields.decimals, (name) => mergeValue(fact[name], known[name])),
    first_price: earlier(whileOpen(known.first_price), whileOpen(fact.first_price)),
    last_price: later(whileOpen(known.last_price), whileOpen(fact.last_price)),
  };
};

/**
 * Drops a price from before the opening or after the close. It also applies to the stored price, because the times
 * may become known later. Both bounds are inclusive.
 */
const observedWithin = (
  { open_us, close_us }: Pick<MarketState, 'open_us' | 'close_us'>,
  price: ObservedPrice,
): ObservedPrice => {
  if (price === null) return null;
  return (open_us !== null && price.us < open_us) || (close_us !== null && price.us > close_us) ? null : price;
};

/** Of two prices with the same microsecond the later statement wins, as with observations. */
const earlier = (known: ObservedPrice, observed: ObservedPrice): ObservedPrice =>
  known === null || (observed !== null && observed.us <= known.us) ? observed : known;

const later = (known: ObservedPrice, observed: ObservedPrice): ObservedPrice =>
  known === null || (observed !== null && observed.us >= known.us) ? observed : known;
