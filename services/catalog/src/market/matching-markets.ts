import { eventMatches, inEvents, namedEventsMax, orSeries } from '../event/event-items.js';
import { matchEvents } from '../event/event-matches.js';
import { matchSeries, type SeriesMatches } from '../tables/series-text.js';
import { allOf, anyOf, type Condition } from '../tables/filters.js';
import type { QueryContext } from '../tables/read-rows.js';
import { byPrefixes, prefixMatchesOf, type TermCondition } from '../tables/term-conditions.js';
import { byIdPrefix, byWords, type TextQuery } from '../tables/text-query.js';
import type { CatalogueSources } from './markets.js';

/** On `markets`: the market matches the text query with any score: by its own words and those of its event and series. */
export const matchingMarkets = async (
  sources: CatalogueSources,
  textQuery: TextQuery | null,
  queryContext: QueryContext,
): Promise<Condition> => {
  if (textQuery === null) return allOf();
  const { terms } = textQuery;
  const words = byWords(textQuery);
  if (terms.length === 0) return anyOf(byIdPrefix(textQuery), ...(words ? [words] : []));
  const own = byPrefixes(await prefixMatchesOf(sources, textQuery, queryContext));
  const series = matchSeries(sources.series.text, textQuery);
  const ofMarketOrSeries = orSeries(own, { series, level: 'prefixes' });
  const ofEvent = await inMatchingEvents(sources, series, textQuery);
  const any: TermCondition = (term, index) => anyOf(ofMarketOrSeries(term, index), ...ofEvent(index));
  return anyOf(byIdPrefix(textQuery), allOf(...terms.map(any)));
};

/** For each term, the condition that an event of the market matches it. None if no event does. */
const inMatchingEvents = async (
  { events }: CatalogueSources,
  series: SeriesMatches,
  textQuery: TextQuery,
): Promise<(index: number) => Condition[]> => {
  const bySubquery = eventMatches('prefixes', series);
  const now = await events.current();
  const matches = now && matchEvents(now, series, textQuery);
  return (index) => {
    const term = textQuery.terms[index];
    if (term === undefined) return [];
    if (matches === undefined) return [bySubquery(term, index)];
    const ids = matches.events.text.entities.flatMap((event, number) =>
      event !== undefined && ((matches.withSeries.prefixes[number] ?? 0) & (1 << index)) !== 0
        ? [event.event_ticker]
        : [],
    );
    if (ids.length === 0) return [];
    if (ids.length > namedEventsMax) return [bySubquery(term, index)];
    return [inEvents(`q_events_${index}`, ids)];
  };
};
