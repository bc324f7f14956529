import type { ClickHouse } from '@almanac/clickhouse';
import type { EventMatches } from '../event/event-matches.js';
import { eventMatches, orSeries } from '../event/event-items.js';
import { seriesMatching, type SeriesMatches } from '../series/series-text.js';
import { markets, type RankedRow, type Shape } from '../tables/candidates.js';
import { allOf, anyOf, type Condition, type Filters } from '../tables/filters.js';
import { byPosition } from '../tables/position.js';
import type { QueryContext } from '../tables/read-rows.js';
import { byAllTerms, type TermCondition } from '../tables/term-conditions.js';
import type { SearchTerm } from '../words/search-terms.js';
import type { z } from 'zod';
import { closesWithin } from './ranked.js';

/** How the words of a query are matched: by other forms too, or also as prefixes. */
export type MatchLevel = 'forms' | 'prefixes';

/** Which markets match a text query together with their events and series. */
export interface ParentMarkets {
  /** Events that match every term, with their series. All of their markets match. The latest close comes first. */
  readonly whole: readonly EventWithMarkets[];
  /** Conditions on `markets` for markets that match the terms that their events do not match. */
  readonly mixed: readonly Condition[];
}

interface EventWithMarkets {
  readonly event_ticker: string;
  readonly markets_n: number;
  readonly close_key: number;
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
  /** One bit for each term that a market may match by its own words. */
  readonly ownTerms: number;
}

/** With more events, they are selected by a subquery. The names are part of the request line, which is limited. */
const namedEventsMax = 1_000;
/** With more combinations of terms, one condition without an index finds all. */
const groupsMax = 8;

export const parentMarkets = (query: ParentQuery, nowUs: number): ParentMarkets => {
  const { terms, events, filters } = query;
  if (terms.length === 0) return { whole: [], mixed: [] };
  if (events === undefined) return { whole: [], mixed: [anyParent(query)] };
  const all = events.own.all;
  const groups = new Map<number, EventWithMarkets[]>();
  const matching = events.withSeries[query.level];
  for (const [number, names] of events.events.text.entities.entries()) {
    const mask = matching[number] ?? 0;
    if (names === undefined || mask === 0 || (all & ~mask & ~query.ownTerms) !== 0) continue;
    const figures = events.events.figures.get(names.event_ticker);
    if (figures === undefined || figures.markets_n === 0) continue;
    if (filters.status === 'live' && figures.close_key <= nowUs) continue;
    if (filters.window && closesWithin(figures, filters.window) === false) continue;
    const group = groups.get(mask) ?? [];
    if (group.length === 0) groups.set(mask, group);
    group.push({ event_ticker: names.event_ticker, ...figures });
  }
  const whole = groups.get(all) ?? [];
  groups.delete(all);
  return {
    whole: whole.toSorted((a, b) => b.close_key - a.close_key),
    mixed: [
      ...(groups.size > groupsMax ? [anyParent(query)] : [...groups].map((group) => mixedCondition(query, group))),
      ...withoutEvent(query),
    ],
  };
};

const mixedCondition = (query: ParentQuery, [mask, events]: [number, readonly EventWithMarkets[]]): Condition => {
  const { terms, own, level } = query;
  const left = terms.flatMap((term, index) => ((mask & (1 << index)) === 0 ? [own(term, index)] : []));
  if (events.length <= namedEventsMax) {
    const name = `q_events_${level}_${mask}`;
    const params = { [name]: events.map(({ event_ticker }) => event_ticker) };
    return allOf({ sql: `event_ticker IN {${name}:Array(String)}`, params }, ...left);
  }
  const ofEvent = eventMatches(level, query.series);
  return allOf(...terms.flatMap((term, index) => ((mask & (1 << index)) === 0 ? [] : [ofEvent(term, index)])), ...left);
};

/** Each term matches the market, its event or its series. */
const anyParent = ({ terms, own, level, series }: ParentQuery): Condition => {
  const ofMarketOrSeries = orSeries(own, { series, level });
  const ofEvent = eventMatches(level, series);
  return byAllTerms(terms, (term, index) => anyOf(ofMarketOrSeries(term, index), ofEvent(term, index)));
};

/** Markets that have a series but no event. */
const withoutEvent = ({ terms, own, level, series, ownTerms }: ParentQuery): Condition[] => {
  const found = terms.map((_, index) => seriesMatching(series, level, index).length > 0);
  const canMatch = found.every((isFound, index) => isFound || (ownTerms & (1 << index)) !== 0);
  if (!canMatch || !found.includes(true)) return [];
  return [allOf({ sql: `event_ticker = ''`, params: {} }, byAllTerms(terms, orSeries(own, { series, level })))];
};

/** The first `limit` markets of these events that match, in order. */
export const marketsOfEvents = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  { whole, condition, ...shape }: Shape<Row> & { whole: ParentMarkets['whole']; condition: Condition },
  { limit, queryContext }: { limit: number; queryContext: QueryContext },
): Promise<RankedRow<z.output<Row>>[]> => {
  let found: RankedRow<z.output<Row>>[] = [];
  const isComplete = (from: number): boolean => {
    const [last, next] = [found[limit - 1], whole[from]];
    return next === undefined || (last !== undefined && last.position.key > next.close_key);
  };
  for (let from = 0, wanted = limit; !isComplete(from); wanted *= 4) {
    const behind = endOf(whole, from, wanted);
    const tickers = whole.slice(from, behind).map(({ event_ticker }) => event_ticker);
    const ofEvents = { sql: 'event_ticker IN {q_events:Array(String)}', params: { q_events: tickers } };
    const more = await markets(
      clickhouse,
      { ...shape, condition: allOf(ofEvents, condition) },
      { limit, queryContext },
    );
    found = [...found, ...more].toSorted((a, b) => byPosition(a.position, b.position)).slice(0, limit);
    from = behind;
  }
  return found;
};

/** Takes events until they have enough markets, and those that close at the same time. */
const endOf = (whole: ParentMarkets['whole'], from: number, wanted: number): number => {
  let markets_n = 0;
  let behind = from;
  while (behind < whole.length && behind - from < namedEventsMax) {
    const [last, next] = [whole[behind - 1], whole[behind]];
    if (markets_n >= wanted && last?.close_key !== next?.close_key) break;
    markets_n += next?.markets_n ?? 0;
    behind += 1;
  }
  return behind;
};
