import { isValidId, subjects } from '@almanac/bus';
import { type catalogRpc, DomainError, eventState, type MarketState, marketState, notFound } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import { z } from 'zod';
import type { CatalogueSources } from '../market/markets.js';
import { readRows, type QueryContext } from '../tables/read-rows.js';
import { daysOfSeries } from './days-of-series.js';

type ExportTargetInput = z.output<typeof catalogRpc.exportTarget.input>;
export type Target = z.output<typeof catalogRpc.exportTarget.output>;
export type Sources = CatalogueSources & { readonly store: EventStore };

/**
 * The target of an export: its tickers in order, the events that must be paid for, and both for each of its parts. The
 * stream decides whether an entity exists, so that a new one counts at once. The markets of an event or a day come from
 * the tables.
 */
export const exportTarget = async (
  sources: Sources,
  input: ExportTargetInput,
  queryContext: QueryContext,
): Promise<Target> => {
  const { event, ticker, series, day, events, tickers } = input;
  const none = { event: null, ticker: null, day: null };
  const [from, to] = day ? [day, day] : [input.from, input.to];
  if (series && from && to)
    return { ...none, day: day ?? null, ...(await daysOfSeries(sources, { series, from, to }, queryContext)) };
  if (events || event) return ofEvents(sources, events ?? [event ?? ''], queryContext);
  if (tickers || ticker) return ofMarkets(sources, tickers ?? [ticker ?? ''], ticker ?? null);
  throw new DomainError('invalid_input', 'Send one of: event, ticker, events, tickers, or series with days.');
};

const marketOfEvent = z.object({ ticker: z.string(), event_ticker: z.string() });

const ofEvents = async ({ store, clickhouse }: Sources, events: readonly string[], { signal }: QueryContext) => {
  const known = await Promise.all(
    events.map(async (event) => {
      const loaded = isValidId(event) ? await store.load(subjects.event(event), eventState) : undefined;
      if (loaded === undefined) throw notFound('event_not_found', event);
      return loaded.state;
    }),
  );
  const sql = `SELECT ticker, event_ticker FROM markets FINAL
    WHERE ticker IN (SELECT ticker FROM markets WHERE event_ticker IN {events:Array(String)})
      AND event_ticker IN {events:Array(String)} ORDER BY ticker`;
  const found = await readRows(clickhouse, { sql, params: { events }, signal }, marketOfEvent);
  const tickersOf = Map.groupBy(found, ({ event_ticker }) => event_ticker);
  const parts = events.map((event) => partOf(event, tickersOf.get(event) ?? []));
  return targetOf(parts, { ticker: null, series: onlyOne(known.map(({ series }) => series)) });
};

const ofMarkets = async ({ store }: Sources, tickers: readonly string[], ticker: string | null) => {
  const known = await Promise.all(
    tickers.map(async (one): Promise<MarketState> => {
      const loaded = isValidId(one) ? await store.load(subjects.market(one), marketState) : undefined;
      if (loaded === undefined) throw notFound('market_not_found', one);
      return loaded.state;
    }),
  );
  const parts = [...Map.groupBy(known, ({ event_ticker }) => event_ticker)].map(([event, own]) => partOf(event, own));
  return targetOf(parts, { ticker, series: onlyOne(known.map(({ series }) => series)) });
};

const partOf = (event: string | null, markets: readonly { readonly ticker: string }[]): Target['parts'][number] => ({
  day: null,
  event,
  events: event === null ? [] : [event],
  tickers: markets.map(({ ticker }) => ticker),
  has_rows: true,
});

const targetOf = (parts: Target['parts'], resolved: Pick<Target, 'ticker' | 'series'>): Target => ({
  event: onlyOne(parts.map(({ event }) => event)),
  ...resolved,
  day: null,
  events: parts.flatMap(({ events }) => events),
  tickers: parts.flatMap(({ tickers }) => tickers).toSorted(),
  parts,
});

/** The value that all have in common, or null. */
const onlyOne = (values: readonly (string | null)[]): string | null => {
  const [first = null, ...others] = new Set(values);
  return others.length === 0 ? first : null;
};
