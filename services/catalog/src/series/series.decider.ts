import { isDeepStrictEqual } from 'node:util';
import { type CatalogueFact, seriesState, type SeriesState } from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';
import { said, saidText, spoken } from '../record/said.js';

export type SeriesFact = Omit<Extract<CatalogueFact, { kind: 'series' }>, 'kind'>;
/** What a market tells of the series that it names. */
export type SeriesNaming = Pick<SeriesState, 'id' | 'category' | 'category_label'>;
export type SeriesCommand = { readonly fact: SeriesFact } | { readonly naming: SeriesNaming };
type SeriesRecorded = { readonly type: 'SeriesRecorded'; readonly data: SeriesFact };

/** A series as sources tell it; a naming creates it and fills gaps, and never speaks against what a source said. */
export const seriesDecider: Decider<SeriesState, SeriesCommand, SeriesRecorded> = {
  state: seriesState,
  decide: (command, state) => {
    const data = spoken('fact' in command ? command.fact : gapsOf(state, command.naming));
    return isDeepStrictEqual(afterFact(state, data), state) ? null : { type: 'SeriesRecorded', data };
  },
  evolve: (state, { data }) => afterFact(state, data),
};

const gapsOf = (state: SeriesState | undefined, { id, category, category_label }: SeriesNaming): SeriesFact => ({
  id,
  ...(state === undefined && { label: id }),
  category: (state?.category ?? null) === null ? category : null,
  category_label: (state?.category_label ?? null) === null ? category_label : null,
});

const afterFact = (state: SeriesState | undefined, fact: SeriesFact): SeriesState => {
  const known = state ?? seriesState.parse({ id: fact.id });
  return {
    id: known.id,
    label: saidText(fact.label, known.label),
    category: saidText(fact.category, known.category),
    category_label: saidText(fact.category_label, known.category_label),
    shape: said(fact.shape, known.shape),
  };
};
