import type { ClickHouse } from '@almanac/clickhouse';
import type { EventFigures, EventNames } from '../event/event-cache.js';
import type { EventMatches } from '../event/event-matches.js';
import { eventMatches, inEvents, namedEventsMax, orSeries } from '../event/event-items.js';
import type { SeriesMatches } from '../tables/series-text.js';
import { markets, type RankedRow, type Shape } from '../tables/candidates.js';
import { closesWithin, allOf, anyOf, type Condition, type Filters } from '../tables/filters.js';
import { type LazyOrder, lazyOrder } from '../tables/lazy-order.js';
import { byPosition, type Position } from '../tables/position.js';
import type { QueryContext } from '../tables/read-rows.js';
import { byAllTerms, type TermCondition } from '../tables/term-conditions.js';
import type { SearchTerm } from '../words/search-terms.js';
import type { z } from 'zod';

/** How the words of a query are matched: by other forms too, or also as prefixes. */
export type MatchLevel = 'forms' | 'prefixes';

/** Which markets match a text query together with their events and series. */
export interface ParentMarkets {
  /** Events that match every term, with their series. All of their markets match. */
  readonly whole: NamedEvents;
  /** Events that match some terms. Those of their markets match that have the other terms. */
  readonly mixed: NamedEvents;
  /** Conditions on `markets` for markets of no event, or of events that are not in memory. */
  readonly others: readonly Condition[];
  /** All of these markets, from the tables. */
  readonly any: Condition;
}

/** Events whose markets are read by name. */
export interface NamedEvents {
  /** Those with the latest close after a position first. */
  readonly after: (position: Position | null) => LazyOrder<EventWithMarkets>;
  /** On `markets`: the matching markets of some of the events. */
  readonly marketsOf: (events: readonly EventWithMarkets[]) => Condition;
}

interface EventWithMarkets {
  readonly event_ticker: string;
  readonly series: string | null;
  readonly markets_n: number;
  readonly close_key: number;
  readonly oldest_close_us: number | null;
  /** One bit for each term that the event matches. */
  readonly mask: number;
}

export interface ParentQuery {
  readonly terms: readonly SearchTerm[];
  readonly level: MatchLevel;
  readonly filters: Filters;
  readonly series: SeriesMatches;
  /** Undefined if events are not in memory. */
  readonly events: EventMatches | undefined;
  /** How a market matches a term by its own words. */
  readonly own: TermCondition;
  /** One bit for each term that a market of a series may match by its own words. */
  readonly ownTermsOf: (series: string | null) => number;
  /** Whether a series may have markets without an event. */
  readonly hasLooseMarkets: (series: string) => boolean;
}

export const parentMarkets = (query: ParentQuery, nowUs: number): ParentMarkets => {
  const { terms, events } = query;
  const named = (some: readonly EventWithMarkets[]): NamedEvents => ({
    after: byClose(some),
    marketsOf: (chosen) => marketsWithOtherTerms(query, chosen),
  });
  if (terms.length === 0) return { whole: named([]), mixed: named([]), others: [], any: anyOf() };
  const any = anyParent(query);
  if (events === undefined) return { whole: named([]), mixed: named([]), others: [any], any };
  const found = eventsThatMayMatch(query, events, nowUs);
  const { all } = events.own;
  return {
    whole: named(found.filter(({ mask }) => mask === all)),
    mixed: named(found.filter(({ mask }) => mask !== all)),
    others: withoutEvent(query),
    any,
  };
};

const byClose =
  (events: readonly EventWithMarkets[]): NamedEvents['after'] =>
  (after) => {
    const left = after === null ? events : events.map((event) => leftOf(event, after));
    return lazyOrder(left, (a, b) => b.close_key - a.close_key);
  };

/** What follows a position: if all known closes of an event are before it, only markets without one are left. */
const leftOf = (event: EventWithMarkets, { key }: Position): EventWithMarkets =>
  event.oldest_close_us !== null && event.oldest_close_us > key ? { ...event, close_key: -1 } : event;

/** Events that match a term and whose markets may match the others. */
const eventsThatMayMatch = (
  { level, filters, ownTermsOf }: ParentQuery,
  { events, own: { all }, withSeries }: EventMatches,
  nowUs: number,
): EventWithMarkets[] => {
  const found: EventWithMarkets[] = [];
  for (const [number, mask] of withSeries[level].entries()) {
    const names = mask === 0 ? undefined : events.text.entities[number];
    if (names === undefined) continue;
    if (mask !== all && (all & ~mask & ~ownTermsOf(names.series)) !== 0) continue;
    const figures = events.figures.get(names.event_ticker);
    if (figures === undefined || !mayHaveMarket(names, figures, { filters, nowUs })) continue;
    const { markets_n, close_key, oldest_close_us } = figures;
    found.push({ event_ticker: names.event_ticker, series: names.series, markets_n, close_key, oldest_close_us, mask });
  }
  return found;
};

/** Whether an event may have a market that passes the filters. A market has the category of its event. */
const mayHaveMarket = (
  { category }: EventNames,
  figures: EventFigures,
  { filters, nowUs }: { filters: Filters; nowUs: number },
): boolean => {
  if (figures.markets_n === 0) return false;
  if (filters.category && category !== null && category !== filters.category) return false;
  if (filters.window && closesWithin(figures, filters.window) === false) return false;
  if (filters.status === 'live') return figures.close_key > nowUs;
  if (filters.status === undefined) return true;
  if ((figures.oldest_close_us ?? 0) > nowUs) return false;
  return filters.status === 'closed' ? figures.known_n < figures.markets_n : figures.known_n > 0;
};

/**
 * Each term matches the market or its event. Events that match the same terms are together, so that the index of words
 * finds the markets with the others: `a OR b` of one term and an event would hide the rare ones.
 */
const marketsWithOtherTerms = ({ terms, own, level }: ParentQuery, events: readonly EventWithMarkets[]): Condition => {
  const withOthers = (mask: number): Condition =>
    allOf(
      inEvents(`q_events_${level}_${mask}`, idsOf(events.filter((event) => event.mask === mask))),
      ...terms.flatMap((term, index) => ((mask & (1 << index)) === 0 ? [own(term, index)] : [])),
    );
  const masks = new Set(events.map(({ mask }) => mask));
  return allOf(anyOf(...Array.from(masks, withOthers)), seriesOf(events, `q_series_of_${level}`));
};

const idsOf = (events: readonly EventWithMarkets[]): string[] => events.map(({ event_ticker }) => event_ticker);

/** A hint: a market has the series of its event, or none. */
const seriesOf = (events: readonly EventWithMarkets[], name: string): Condition => {
  const series = new Set(events.map((event) => event.series));
  if (series.has(null) || events.length === 0) return allOf();
  return { ...allOf(), params: { [name]: [...series, '-'] }, hint: `series_or_none IN {${name}:Array(String)}` };
};

/** Each term matches the market, its event or its series, for events that are not in memory. */
const anyParent = ({ terms, own, level, series }: ParentQuery): Condition => {
  const ofMarketOrSeries = orSeries(own, { series, level });
  const ofEvent = eventMatches(level, series);
  return byAllTerms(terms, (term, index) => anyOf(ofMarketOrSeries(term, index), ofEvent(term, index)));
};

/** Markets that have a series but no event. */
const withoutEvent = ({ terms, own, level, series, ownTermsOf, hasLooseMarkets }: ParentQuery): Condition[] => {
  const matches = series[level];
  const ids = series.text.entities.flatMap((state, number) => {
    const mask = matches[number] ?? 0;
    if (state === undefined || mask === 0 || !hasLooseMarkets(state.id)) return [];
    return (series.all & ~mask & ~ownTermsOf(state.id)) === 0 ? [state.id] : [];
  });
  if (ids.length === 0) return [];
  const name = `q_series_${level}`;
  const ofThese = { sql: `event_ticker = '' AND series IN {${name}:Array(String)}`, params: { [name]: ids } };
  return [allOf(ofThese, byAllTerms(terms, orSeries(own, { series, level })))];
};

interface Span {
  readonly limit: number;
  readonly queryContext: QueryContext;
  readonly after?: Position | null;
}

/** Statements for the events of a query. Then one statement searches the tables for what is left. */
const roundsMax = 8;

/** The first `limit` markets that match together with their named events, in order. */
export const marketsOfEvents = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  {
    parents: { whole, mixed, any },
    condition,
    ...shape
  }: Shape<Row> & { parents: ParentMarkets; condition: Condition },
  span: Span,
): Promise<RankedRow<z.output<Row>>[]> => {
  const { limit, after = null } = span;
  const read = (matches: Condition) => markets(clickhouse, { ...shape, condition: allOf(matches, condition) }, span);
  const ofNamed = async ({ after: left, marketsOf }: NamedEvents, isWhole: boolean) => {
    const events = left(after);
    let found: RankedRow<z.output<Row>>[] = [];
    const isComplete = (from: number): boolean => {
      const [last, next] = [found[limit - 1], events.at(from)];
      return next === undefined || (last !== undefined && last.position.key > next.close_key);
    };
    for (let from = 0, round = 0; !isComplete(from); round += 1) {
      if (round === roundsMax) return [...found, ...(await read(any))];
      const behind = endOf(events, from, isWhole ? limit * 4 ** round : Infinity);
      const some = Array.from({ length: behind - from }, (_, index) => events.at(from + index));
      const more = await read(marketsOf(some.filter((event) => event !== undefined)));
      found = [...found, ...more].toSorted((a, b) => byPosition(a.position, b.position)).slice(0, limit);
      from = behind;
    }
    return found;
  };
  return (await Promise.all([ofNamed(whole, true), ofNamed(mixed, false)])).flat();
};

/** Takes events until they have enough markets, and those that close at the same time. */
const endOf = (events: LazyOrder<EventWithMarkets>, from: number, wanted: number): number => {
  let markets_n = 0;
  let behind = from;
  while (behind - from < namedEventsMax) {
    const [last, next] = [events.at(behind - 1), events.at(behind)];
    if (next === undefined || (markets_n >= wanted && last?.close_key !== next.close_key)) break;
    markets_n += next.markets_n;
    behind += 1;
  }
  return behind;
};
