import { isDeepStrictEqual } from 'node:util';
import { type CatalogueFact, eventState, type EventState } from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';
import { said, saidText, spoken } from '../record/said.js';

export type EventFact = Omit<Extract<CatalogueFact, { kind: 'event' }>, 'kind'>;
/** What a market tells of the event that it names. */
export type EventNaming = Pick<EventState, 'event_ticker' | 'series' | 'category'>;
export type EventCommand = { readonly fact: EventFact } | { readonly naming: EventNaming };
type EventRecorded = { readonly type: 'EventRecorded'; readonly data: EventFact };

/** An event as sources tell it; a naming creates it and fills gaps, and never speaks against what a source said. */
export const eventDecider: Decider<EventState, EventCommand, EventRecorded> = {
  state: eventState,
  decide: (command, state) => {
    const data = spoken('fact' in command ? command.fact : gapsOf(state, command.naming));
    return isDeepStrictEqual(afterFact(state, data), state) ? null : { type: 'EventRecorded', data };
  },
  evolve: (state, { data }) => afterFact(state, data),
};

const gapsOf = (state: EventState | undefined, { event_ticker, series, category }: EventNaming): EventFact => ({
  event_ticker,
  series: (state?.series ?? null) === null ? series : null,
  category: (state?.category ?? null) === null ? category : null,
});

const afterFact = (state: EventState | undefined, fact: EventFact): EventState => {
  const known = state ?? eventState.parse({ event_ticker: fact.event_ticker });
  return {
    event_ticker: known.event_ticker,
    title: saidText(fact.title, known.title),
    series: said(fact.series, known.series),
    category: saidText(fact.category, known.category),
    category_label: saidText(fact.category_label, known.category_label),
  };
};
