import { isDeepStrictEqual } from 'node:util';
import { type CatalogueFact, seriesState, type SeriesState, type SeriesFee } from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';
import { readableSeries } from '../words/readable-names.js';
import { mergeValue, mergeText, statedFields } from '../facts/merge.js';
import { isBetter, timeOf } from '../facts/knowledge-order.js';

export type SeriesFact = Omit<Extract<CatalogueFact, { kind: 'series' }>, 'kind'>;
/** The fields of a series that a market states when it references the series. */
export type SeriesReference = Pick<SeriesState, 'id' | 'category' | 'category_label'>;
export type SeriesCommand = { readonly fact: SeriesFact } | { readonly reference: SeriesReference };
type SeriesRecorded = { readonly type: 'SeriesRecorded'; readonly data: SeriesFact };

/** A series as sources state it. A reference creates it or fills its gaps, and never contradicts a fact. */
export const seriesDecider: Decider<SeriesState, SeriesCommand, SeriesRecorded> = {
  state: seriesState,
  decide: (command, state) => {
    const data = statedFields('fact' in command ? command.fact : gapsOf(state, command.reference));
    return isDeepStrictEqual(applyFact(state, data), state) ? null : { type: 'SeriesRecorded', data };
  },
  evolve: (state, { data }) => applyFact(state, data),
};

const gapsOf = (state: SeriesState | undefined, { id, category, category_label }: SeriesReference): SeriesFact => ({
  id,
  category: (state?.category ?? null) === null ? category : null,
  category_label: (state?.category_label ?? null) === null ? category_label : null,
});

const applyFact = (state: SeriesState | undefined, fact: SeriesFact): SeriesState => {
  const known = state ?? seriesState.parse({ id: fact.id });
  return {
    ...known,
    ...labelOf(known, fact),
    category: mergeText(fact.category, known.category),
    category_label: mergeText(fact.category_label, known.category_label),
    shape: mergeValue(fact.shape, known.shape),
    fees: mergeFees(known.fees, fact.fees ?? []),
  };
};

/** The venue's label replaces ours. Ours is one of an import, otherwise made from the id. */
const labelOf = (known: SeriesState, fact: SeriesFact): Pick<SeriesState, 'label' | 'derived_label'> => {
  const { label, derived_label } = known;
  const isOurs = fact.derived_label === true;
  const hasVenues = label !== null && derived_label !== true;
  const stated = isOurs && hasVenues ? null : mergeText(fact.label, null);
  if (stated !== null) return { label: stated, derived_label: isOurs ? true : null };
  return label === null ? { label: readableSeries(known.id), derived_label: true } : { label, derived_label };
};

/** A series has a few fees in its life. Of more, the earliest stay. */
const feesMax = 32;

/** Merges stated fees in any order. Each has one knowledge time: that of the best basis, then the earliest. */
const mergeFees = (known: readonly SeriesFee[], stated: readonly SeriesFee[]): SeriesFee[] => {
  if (stated.length === 0) return [...known];
  const fees = new Map<string, SeriesFee>();
  for (const fee of [...known, ...stated]) {
    const key = JSON.stringify([fee.type, fee.multiplier, fee.valid_from_us]);
    const other = fees.get(key);
    if (other === undefined || isBetter(fee, other)) fees.set(key, fee);
  }
  const inOrder = [...fees].toSorted(([oneKey, one], [otherKey, other]) =>
    timeOf(one) === timeOf(other) ? (oneKey < otherKey ? -1 : 1) : timeOf(one) < timeOf(other) ? -1 : 1,
  );
  return inOrder.slice(0, feesMax).map(([, fee]) => fee);
};
