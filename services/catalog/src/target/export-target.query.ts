import { isValidId, subjects } from '@almanac/bus';
import { rowsInWindow, wasOpen } from '@almanac/clickhouse';
import { type catalogRpc, DomainError, eventState, marketState, notFound, seriesState } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import { z } from 'zod';
import type { CatalogueSources } from '../market/markets.js';
import { readRows, type QueryContext } from '../tables/read-rows.js';

type ExportTargetInput = z.output<typeof catalogRpc.exportTarget.input>;
type Target = z.output<typeof catalogRpc.exportTarget.output>;
type Sources = CatalogueSources & { readonly store: EventStore };

/**
 * The target of an export: its tickers in order, and the events that must be paid for. The stream decides whether an
 * entity exists, so that a new one counts at once. The markets of an event or a day come from the tables.
 */
export const exportTarget = (
  sources: Sources,
  input: ExportTargetInput,
  queryContext: QueryContext,
): Promise<Target> => {
  const { event, ticker, series, day } = input;
  if (event && !ticker && !series && !day) return ofEvent(sources, event, queryContext);
  if (ticker && !event && !series && !day) return ofMarket(sources, ticker);
  if (series && day && !event && !ticker) return ofDay(sources, { series, day }, queryContext);
  throw new DomainError('invalid_input', 'Send exactly one of: event, ticker, or series with day.');
};

const ofEvent = async ({ store, clickhouse }: Sources, event: string, { signal }: QueryContext): Promise<Target> => {
  const known = isValidId(event) ? await store.load(subjects.event(event), eventState) : undefined;
  if (known === undefined) throw notFound('event_not_found', event);
  const sql = `SELECT ticker FROM markets FINAL
    WHERE ticker IN (SELECT ticker FROM markets WHERE event_ticker = {event:String})
      AND event_ticker = {event:String} ORDER BY ticker`;
  const found = await readRows(clickhouse, { sql, params: { event }, signal }, z.object({ ticker: z.string() }));
  const tickers = found.map(({ ticker }) => ticker);
  return { event, ticker: null, series: known.state.series, day: null, events: [event], tickers };
};

const ofMarket = async ({ store }: Sources, ticker: string): Promise<Target> => {
  const known = isValidId(ticker) ? await store.load(subjects.market(ticker), marketState) : undefined;
  if (known === undefined) throw notFound('market_not_found', ticker);
  const { event_ticker: event, series } = known.state;
  return { event, ticker, series, day: null, events: event === null ? [] : [event], tickers: [ticker] };
};

const dayUs = 86_400_000_000;

/** Outdated rows may match too. FINAL decides among these few. */
const candidates = 'SELECT ticker FROM markets WHERE series = {series:String}';

const marketOfDay = z.object({ ticker: z.string(), event_ticker: z.string(), observed: z.literal([0, 1]) });

const ofDay = async (
  { store, clickhouse }: Sources,
  { series, day }: { series: string; day: string },
  { signal }: QueryContext,
): Promise<Target> => {
  const startUs = startOf(day);
  const known = isValidId(series) ? await store.load(subjects.series(series), seriesState) : undefined;
  if (known === undefined) throw notFound('series_not_found', series);
  const sql = `SELECT ticker, event_ticker,
      ticker IN (SELECT DISTINCT ticker FROM snapshots WHERE ${rowsInWindow(candidates)}) AS observed
    FROM markets FINAL WHERE ticker IN (${candidates}) AND series = {series:String}
      AND (observed OR ${wasOpen('{from_us:Int64}', '{to_us:Int64}')}) ORDER BY ticker`;
  const params = { series, from_us: startUs, to_us: startUs + dayUs };
  const found = await readRows(clickhouse, { sql, params, signal }, marketOfDay);
  if (!found.some(({ observed }) => observed === 1)) {
    throw new DomainError(
      'no_data_for_day',
      `The archive has no observations of ${series} on ${day} (UTC). Choose another day.`,
    );
  }
  const events = [...new Set(found.map(({ event_ticker }) => event_ticker).filter((event) => event !== ''))];
  return { event: null, ticker: null, series, day, events, tickers: found.map(({ ticker }) => ticker) };
};

/** The microsecond at which a UTC day starts. Throws `invalid_input` if the text is no calendar date. */
const startOf = (day: string): number => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? new Date(`${day}T00:00:00Z`) : undefined;
  if (at === undefined || Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day) {
    throw new DomainError('invalid_input', 'day must be a calendar date in the form YYYY-MM-DD.');
  }
  return at.getTime() * 1_000;
};
