import { isDeepStrictEqual } from 'node:util';
import { type CatalogueFact, eventState, type EventState } from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';
import { mergeValue, mergeText, statedFields } from '../facts/merge.js';

export type EventFact = Omit<Extract<CatalogueFact, { kind: 'event' }>, 'kind'>;
/** The fields of an event that a market states when it references the event. */
export type EventReference = Pick<EventState, 'event_ticker' | 'series' | 'category'>;
export type EventCommand = { readonly fact: EventFact } | { readonly reference: EventReference };
type EventRecorded = { readonly type: 'EventRecorded'; readonly data: EventFact };

/** An event as sources state it. A reference creates it or fills its gaps, and never contradicts a fact. */
export const eventDecider: Decider<EventState, EventCommand, EventRecorded> = {
  state: eventState,
  decide: (command, state) => {
    const data = statedFields('fact' in command ? command.fact : gapsOf(state, command.reference));
    return isDeepStrictEqual(applyFact(state, data), state) ? null : { type: 'EventRecorded', data };
  },
  evolve: (state, { data }) => applyFact(state, data),
};

const gapsOf = (state: EventState | undefined, { event_ticker, series, category }: EventReference): EventFact => ({
  event_ticker,
  series: (state?.series ?? null) === null ? series : null,
  category: (state?.category ?? null) === null ? category : null,
});

const applyFact = (state: EventState | undefined, fact: EventFact): EventState => {
  const known = state ?? eventState.parse({ event_ticker: fact.event_ticker });
  return {
    ...known,
    title: mergeText(fact.title, known.title),
    series: mergeValue(fact.series, known.series),
    category: mergeText(fact.category, known.category),
    category_label: mergeText(fact.category_label, known.category_label),
  };
};
