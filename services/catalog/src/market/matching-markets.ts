import { eventMatches, orSeries } from '../event/event-items.js';
import { matchSeries } from '../series/series-text.js';
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
  const ofEvent = eventMatches('prefixes', series);
  const any: TermCondition = (term, index) => anyOf(ofMarketOrSeries(term, index), ofEvent(term, index));
  return anyOf(byIdPrefix(textQuery), allOf(...terms.map(any)));
};
