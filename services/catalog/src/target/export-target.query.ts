import { isValidId, subjects } from '@almanac/bus';
import { marketsAsOf } from '@almanac/clickhouse';
import {
  asOfField,
  type catalogRpc,
  DomainError,
  eventState,
  marketState,
  notFound,
  readTimeOf,
} from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import { z } from 'zod';
import type { CatalogueSources } from '../market/markets.js';
import { readRows, type QueryContext } from '../tables/read-rows.js';
import { daysOfSeries } from './days-of-series.js';

type ExportTargetInput = z.output<typeof catalogRpc.exportTarget.input>;
export type Target = z.output<typeof catalogRpc.exportTarget.output>;
export type Sources = CatalogueSources & { readonly store: EventStore };
export type TargetSources = Sources & { readonly asOfUs: number | null };

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
  const { event, ticker, series, day, events, tickers, streams } = input;
  const none = { event: null, ticker: null, day: null };
  const [from, to] = day ? [day, day] : [input.from, input.to];
  const { asOfUs } = readTimeOf(input.as_of);
  const target = { ...sources, asOfUs };
  const then = asOfField(asOfUs);
  if (series && from && to)
    return {
      ...none,
      day: day ?? null,
      ...(await daysOfSeries(target, { series, from, to, streams }, queryContext)),
      ...then,
    };
  if (events || event) return { ...(await ofEvents(target, events ?? [event ?? ''], queryContext)), ...then };
  if (tickers || ticker)
    return {
      ...(await ofMarkets(target, tickers ?? [ticker ?? ''], { ticker: ticker ?? null, queryContext })),
      ...then,
    };
  throw new DomainError('invalid_input', 'Send one of: event, ticker, events, tickers, or series with days.');
};

const text = z.string().transform((value) => (value === '' ? null : value));
const listedMarket = z.object({ ticker: z.string(), event_ticker: text, series: text });
type ListedMarket = z.output<typeof listedMarket>;

/** The markets of these events or of these tickers, as they are or as of a time. */
const marketsIn = (
  { clickhouse, asOfUs }: TargetSources,
  column: 'event_ticker' | 'ticker',
  { ids, signal }: { readonly ids: readonly string[]; readonly signal: AbortSignal },
): Promise<ListedMarket[]> => {
  const named = `${column} IN {ids:Array(String)}`;
  const where =
    column === 'ticker' ? named : `${named} AND ticker IN (SELECT ticker FROM markets_by_close WHERE ${named})`;
  const table = asOfUs === null ? `markets FINAL WHERE ${where}` : `${marketsAsOf('{as_of_us:Int64}', where)} AS past`;
  const sql = `SELECT ticker, event_ticker, series FROM ${table} ORDER BY ticker`;
  return readRows(clickhouse, { sql, params: { ids, as_of_us: asOfUs ?? 0 }, signal }, listedMarket);
};

const ofEvents = async (sources: TargetSources, events: readonly string[], { signal }: QueryContext) => {
  const known = sources.asOfUs === null ? await Promise.all(events.map((event) => eventNow(sources.store, event))) : [];
  const found = await marketsIn(sources, 'event_ticker', { ids: events.filter(isValidId), signal });
  const tickersOf = Map.groupBy(found, ({ event_ticker }) => event_ticker ?? '');
  // As of a time, an event exists from its first market on.
  const unknown = sources.asOfUs === null ? undefined : events.find((event) => !tickersOf.has(event));
  if (unknown !== undefined) throw notFound('event_not_found', unknown);
  const parts = events.map((event) => partOf(event, tickersOf.get(event) ?? []));
  const series = onlyOne((sources.asOfUs === null ? known : found).map((one) => one.series));
  return targetOf(parts, { ticker: null, series });
};

const eventNow = async (store: EventStore, event: string) => {
  const loaded = isValidId(event) ? await store.load(subjects.event(event), eventState) : undefined;
  if (loaded === undefined) throw notFound('event_not_found', event);
  return loaded.state;
};

const marketNow = async (store: EventStore, ticker: string): Promise<ListedMarket> => {
  const loaded = isValidId(ticker) ? await store.load(subjects.market(ticker), marketState) : undefined;
  if (loaded === undefined) throw notFound('market_not_found', ticker);
  return loaded.state;
};

const marketsThen = async (sources: TargetSources, tickers: readonly string[], signal: AbortSignal) => {
  const found = await marketsIn(sources, 'ticker', { ids: tickers.filter(isValidId), signal });
  const byTicker = new Map(found.map((one) => [one.ticker, one]));
  return tickers.map((ticker) => {
    const market = byTicker.get(ticker);
    if (market === undefined) throw notFound('market_not_found', ticker);
    return market;
  });
};

const ofMarkets = async (
  sources: TargetSources,
  tickers: readonly string[],
  { ticker, queryContext: { signal } }: { readonly ticker: string | null; readonly queryContext: QueryContext },
) => {
  const { store, asOfUs } = sources;
  const known =
    asOfUs === null
      ? await Promise.all(tickers.map((one) => marketNow(store, one)))
      : await marketsThen(sources, tickers, signal);
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
