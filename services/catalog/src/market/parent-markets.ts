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
  /** Events that match every term, with their series. All of their markets match. Those with the latest close after a position first. */
  readonly whole: (after: Position | null) => LazyOrder<EventWithMarkets>;
  /** Conditions on `markets` for markets that match the terms that their events do not match. */
  readonly mixed: readonly Condition[];
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
  if (terms.length === 0) return { whole: byClose([]), mixed: [] };
  if (events === undefined) return { whole: byClose([]), mixed: [anyParent(query)] };
  const found = eventsThatMayMatch(query, events, nowUs);
  const mixed = found.filter(({ mask }) => mask !== events.own.all);
  return {
    whole: byClose(found.filter(({ mask }) => mask === events.own.all)),
    mixed: [...mixedConditions(query, mixed), ...withoutEvent(query)],
  };
};

const byClose =
  (events: readonly EventWithMarkets[]): ParentMarkets['whole'] =>
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
 * Each term matches the market or its event. With few events, their markets are read. With many, the markets that match
 * the rarest term are read: by their event, and by the index of words.
 */
const mixedConditions = (query: ParentQuery, events: readonly EventWithMarkets[]): Condition[] => {
  if (events.length === 0) return [];
  const { terms, own, level } = query;
  const matching = terms.map((_, index) => events.filter(({ mask }) => (mask & (1 << index)) !== 0));
  const any =
    (lists: typeof matching, name: string): TermCondition =>
    (term, index) => {
      const some = lists[index] ?? [];
      if (some.length === 0) return own(term, index);
      const ofEvent =
        some.length > namedEventsMax
          ? eventMatches(level, query.series)(term, index)
          : inEvents(`${name}_${index}`, idsOf(some));
      return anyOf(own(term, index), ofEvent);
    };
  // Which other events match a term is of no concern there.
  const among = (some: readonly EventWithMarkets[], isLeftOut: (index: number) => boolean): Condition => {
    const lists = matching.map((_, index) => some.filter(({ mask }) => (mask & (1 << index)) !== 0));
    return allOf(
      inEvents(`q_events_${level}`, idsOf(some)),
      seriesOf(some, `q_series_of_${level}`),
      ...terms.flatMap((term, index) => (isLeftOut(index) ? [] : [any(lists, `q_among_${level}`)(term, index)])),
    );
  };
  if (events.length <= namedEventsMax) return [among(events, (index) => matching[index]?.length === events.length)];
  const fewest = Math.min(...matching.map(({ length }) => length));
  const rarest = matching.findIndex(({ length }) => length === fewest);
  const ofEvents = matching[rarest] ?? [];
  const anyOfAll = any(matching, `q_events_${level}`);
  if (ofEvents.length > namedEventsMax) return [byAllTerms(terms, anyOfAll)];
  return [
    ...(ofEvents.length > 0 ? [among(ofEvents, (index) => index === rarest)] : []),
    byAllTerms(terms, (term, index) => (index === rarest ? own(term, index) : anyOfAll(term, index))),
  ];
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

/** The first `limit` markets of these events that match, in order. */
export const marketsOfEvents = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  { whole: wholeAfter, condition, ...shape }: Shape<Row> & { whole: ParentMarkets['whole']; condition: Condition },
  span: { limit: number; queryContext: QueryContext; after?: Position | null },
): Promise<RankedRow<z.output<Row>>[]> => {
  const { limit } = span;
  const whole = wholeAfter(span.after ?? null);
  let found: RankedRow<z.output<Row>>[] = [];
  const isComplete = (from: number): boolean => {
    const [last, next] = [found[limit - 1], whole.at(from)];
    return next === undefined || (last !== undefined && last.position.key > next.close_key);
  };
  for (let from = 0, wanted = limit; !isComplete(from); wanted *= 4) {
    const behind = endOf(whole, from, wanted);
    const some = Array.from({ length: behind - from }, (_, index) => whole.at(from + index));
    const named = some.filter((event) => event !== undefined);
    const ofEvents = allOf(inEvents('q_events', idsOf(named)), seriesOf(named, 'q_series_of_events'));
    const more = await markets(clickhouse, { ...shape, condition: allOf(ofEvents, condition) }, span);
    found = [...found, ...more].toSorted((a, b) => byPosition(a.position, b.position)).slice(0, limit);
    from = behind;
  }
  return found;
};

/** Takes events until they have enough markets, and those that close at the same time. */
const endOf = (whole: LazyOrder<EventWithMarkets>, from: number, wanted: number): number => {
  let markets_n = 0;
  let behind = from;
  while (behind - from < namedEventsMax) {
    const [last, next] = [whole.at(behind - 1), whole.at(behind)];
    if (next === undefined || (markets_n >= wanted && last?.close_key !== next.close_key)) break;
    markets_n += next.markets_n;
    behind += 1;
  }
  return behind;
};
