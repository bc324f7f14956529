import { isDeepStrictEqual } from 'node:util';
import {
  type CatalogueFact,
  datedFields,
  mapNames,
  marketFields,
  marketState,
  type MarketState,
} from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';
import { readableTitle } from '../record/readable-names.js';
import { mergeValue, mergeText, statedFields } from '../record/merge.js';
import { knownUsOf, mergeHistory } from './market-history.js';

export type MarketFact = Omit<Extract<CatalogueFact, { kind: 'market' }>, 'kind'>;
type MarketRecorded = { readonly type: 'MarketRecorded'; readonly data: MarketFact };
type ObservedPrice = MarketState['open_price'];

/** A market as sources state it. A repeated fact changes nothing. */
export const marketDecider: Decider<MarketState, MarketFact, MarketRecorded> = {
  state: marketState,
  decide: (fact, state) =>
    isDeepStrictEqual(applyFact(state, fact), state) ? null : { type: 'MarketRecorded', data: statedFields(fact) },
  evolve: (state, { data }) => applyFact(state, data),
};

const applyFact = (state: MarketState | undefined, given: MarketFact): MarketState => {
  const known = state ?? marketState.parse({ ticker: given.ticker });
  const history = mergeHistory(known.history, given.history ?? []);
  const fact = withoutOlderValues({ ...known, history: [...history] }, given);
  const times = mapNames(marketFields.times, (name) => mergeValue(fact[name], known[name]));
  const stated = {
    ...mapNames(marketFields.texts, (name) => mergeText(fact[name], known[name])),
    ...times,
    ...mapNames(marketFields.decimals, (name) => mergeValue(fact[name], known[name])),
  };
  return {
    ...known,
    ...stated,
    ...titleOf(known, fact, stated),
    capture: known.capture === 'l2' ? 'l2' : mergeValue(fact.capture, known.capture),
    open_price: laterUpTo(times.open_us, known.open_price, fact.open_price ?? null),
    last_price: laterUpTo(times.close_us, known.last_price, fact.last_price ?? null),
    trades: (fact.trades?.n ?? -1) >= (known.trades?.n ?? 0) ? (fact.trades ?? null) : known.trades,
    history: [...history],
  };
};

/** The last stated value wins, except one that was known before the present value. It is only in the history. */
const withoutOlderValues = (known: MarketState, fact: MarketFact): MarketFact => {
  const { history: stated = [] } = fact;
  if (stated.length === 0) return fact;
  const older = datedFields.filter((field) => {
    if (field === 'rules' || field === 'tick_size') return false;
    const [present, value] = [known[field], fact[field] ?? null];
    if (present === null || value === null || value === present) return false;
    const presentUs = knownUsOf(known.history, field, String(present));
    const us = knownUsOf(stated, field, String(value));
    return presentUs !== null && us !== null && us < presentUs;
  });
  return older.length === 0 ? fact : { ...fact, ...mapNames(older, () => null) };
};

/** A title of a source replaces a made one. A made one follows the series, strike and close. */
const titleOf = (
  known: MarketState,
  fact: MarketFact,
  stated: Parameters<typeof readableTitle>[0],
): Pick<MarketState, 'title' | 'derived_title'> => {
  const title = mergeText(fact.title, known.derived_title === true ? null : known.title);
  if (title !== null) return { title, derived_title: null };
  const derived = readableTitle(stated);
  return { title: derived, derived_title: derived === null ? null : true };
};

/**
 * The later price, of those at or before `us`. It also applies to the stored price, because the times may become known
 * later. Of two prices with the same microsecond the later statement wins, as with observations.
 */
const laterUpTo = (us: number | null, known: ObservedPrice, observed: ObservedPrice): ObservedPrice => {
  const [before, now] = [known, observed].map((price) =>
    price === null || price === undefined || (us !== null && price.us > us) ? null : price,
  );
  if (!before || !now) return before ?? now ?? null;
  return now.us >= before.us ? now : before;
};
