import type { EventMessage } from '@almanac/bus';
import {
  coinPricesOf,
  declaredTypes,
  type EventState,
  eventState,
  eventTypesOf,
  mapNames,
  marketFields,
  type MarketState,
  marketState,
  type SeriesState,
  seriesState,
  type FeedIds,
} from '@almanac/contracts';
import { z } from 'zod';
import { pastColumns, pastValues } from './past-values.js';
import { searchableMarket, searchText } from './search-words.js';

/** The ids distinguish the three kinds. A market also has an event's id, so it is tried first. */
export const anyState = z.union([marketState, seriesState, eventState]);
eventTypesOf(anyState, [marketState, seriesState, eventState].flatMap(declaredTypes));
export type AnyState = z.output<typeof anyState>;

export interface TableRows {
  readonly series: ReturnType<typeof seriesRow>[];
  readonly events: ReturnType<typeof eventRow>[];
  readonly markets: ReturnType<typeof marketRow>[];
}

/** The latest state of each entity. Events come in any order: redelivered ones may follow newer ones. */
export const rowsOf = (messages: readonly EventMessage<AnyState>[]): TableRows => {
  const last = new Map<string, EventMessage<AnyState>>();
  for (const message of messages) {
    if (message.seq > (last.get(message.subject)?.seq ?? 0)) last.set(message.subject, message);
  }
  const found: TableRows = { series: [], events: [], markets: [] };
  for (const message of last.values()) {
    const { of, row } = rowOf(message);
    if (of === 'markets') found.markets.push(row);
    else if (of === 'series') found.series.push(row);
    else found.events.push(row);
  }
  return found;
};

export const rowOf = ({ seq, event: { state } }: EventMessage<AnyState>) => {
  if ('ticker' in state) return { of: 'markets', row: marketRow(state, seq) } as const;
  if ('id' in state) return { of: 'series', row: seriesRow(state, seq) } as const;
  return { of: 'events', row: eventRow(state, seq) } as const;
};

/** The columns in insert order. */
export const columns = {
  series: ['id', 'label', 'category', 'category_label', 'shape', 'words', 'state', 'seq'],
  events: ['event_ticker', 'title', 'series', 'category', 'category_label', 'words', 'seq'],
  markets: [
    'ticker',
    'capture',
    ...marketFields.texts,
    ...marketFields.times,
    ...marketFields.decimals,
    'feed_ids',
    'words',
    ...pastColumns,
    'seq',
  ],
} as const;

/** Text columns of markets in which an empty text means unknown. The other columns are nullable. */
const emptyTexts = ['series', 'event_ticker', 'title', 'category', 'category_label'] as const;
export const emptyWhenUnknown: ReadonlySet<string> = new Set(['capture', ...emptyTexts]);

/** A value that fits into Decimal(18, 8). */
export const storable = /^-?\d{1,10}(\.\d{1,8})?$/;

const seriesRow = (state: SeriesState, seq: number) => ({
  id: state.id,
  label: state.label ?? '',
  category: state.category ?? '',
  category_label: state.category_label ?? '',
  shape: state.shape ?? '',
  words: searchText({ id: state.id, title: state.label, texts: [state.category_label, state.category] }),
  state: JSON.stringify(state),
  seq,
});

const eventRow = (state: EventState, seq: number) => ({
  event_ticker: state.event_ticker,
  title: state.title ?? '',
  series: state.series ?? '',
  category: state.category ?? '',
  category_label: state.category_label ?? '',
  words: searchText({ id: state.event_ticker, title: state.title, texts: [state.category] }),
  seq,
});

const marketRow = (state: MarketState, seq: number) => ({
  ticker: state.ticker,
  ...mapNames(marketFields.texts, (name) => state[name]),
  ...mapNames(emptyTexts, (name) => state[name] ?? ''),
  capture: state.capture ?? '',
  ...mapNames(marketFields.times, (name) => state[name]),
  ...mapNames(marketFields.decimals, (name) => state[name]),
  ...coinPricesOf(state),
  feed_ids: state.feed_ids === null ? [] : idsOf(state.feed_ids),
  words: searchText(searchableMarket(state)),
  ...pastValues(state),
  seq,
});

const idsOf = ({ condition, yes, no }: FeedIds): readonly string[] => [condition ?? '', yes ?? '', no ?? ''];
