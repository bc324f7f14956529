import { isDeepStrictEqual } from 'node:util';
import {
  type CatalogueFact,
  type DatedField,
  datedFields,
  mapNames,
  marketFields,
  marketState,
  type MarketState,
  type FeedIds,
} from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';
import { readableTitle } from '../words/readable-names.js';
import { mergeValue, mergeText, statedFields } from '../facts/merge.js';
import { mergeHistory, newestOf } from './market-history.js';

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
  const history = [...mergeHistory(known.history, given.history ?? [])];
  const fact = withNewestValues(history, given);
  const before = withoutTakenBack(known, fact);
  const times = mapNames(marketFields.times, (name) => mergeValue(fact[name], before[name]));
  const stated = {
    ...mapNames(marketFields.texts, (name) => mergeText(fact[name], before[name])),
    ...times,
    ...mapNames(marketFields.decimals, (name) => mergeValue(fact[name], before[name])),
  };
  return {
    ...known,
    ...stated,
    ...titleOf(before, fact, stated),
    capture: known.capture === 'l2' ? 'l2' : mergeValue(fact.capture, known.capture),
    feed_ids: mergeIds(known.feed_ids, fact.feed_ids),
    open_price: laterUpTo(times.open_us, known.open_price, fact.open_price ?? null),
    last_price: laterUpTo(times.close_us, known.last_price, fact.last_price ?? null),
    trades: (fact.trades?.n ?? -1) >= (known.trades?.n ?? 0) ? (fact.trades ?? null) : known.trades,
    history,
  };
};

const mergeIds = (known: FeedIds | null, given: FeedIds | null | undefined): FeedIds | null =>
  given === null || given === undefined
    ? known
    : mapNames(['condition', 'yes', 'no'], (name) => mergeText(given[name], known?.[name] ?? null));

/** Dated fields that the state has a value of. Rules and tick sizes are only in the history. */
type CurrentField = Exclude<DatedField, 'rules' | 'tick_size'>;
const currentFields = datedFields.filter((field): field is CurrentField => field !== 'rules' && field !== 'tick_size');

/** `takenBack`: fields whose newest statement takes their value back. */
type NewestFact = MarketFact & { readonly takenBack: readonly CurrentField[] };

const times: ReadonlySet<string> = new Set(marketFields.times);

/**
 * The newest dated statement of a field wins, whenever it arrives, also if it takes the value back. Of values without
 * times the last one wins.
 */
const withNewestValues = (history: MarketState['history'], fact: MarketFact): NewestFact => {
  const newest: Record<string, string | number> = {};
  const takenBack: CurrentField[] = [];
  for (const field of currentFields) {
    if (!isDated(fact, field)) continue;
    const value = newestOf(history, field);
    if (value === '') takenBack.push(field);
    else if (value !== undefined) newest[field] = times.has(field) ? Number(value) : value;
  }
  return { ...fact, ...newest, ...mapNames(takenBack, () => null), takenBack };
};

const isDated = ({ history = [] }: MarketFact, field: DatedField): boolean =>
  history.some(({ known_us, values }) => known_us !== null && values[field] !== undefined);

const withoutTakenBack = (known: MarketState, { takenBack }: NewestFact): MarketState =>
  takenBack.length === 0 ? known : { ...known, ...mapNames(takenBack, () => null) };

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
