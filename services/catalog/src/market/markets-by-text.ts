import type { MarketState } from '@almanac/contracts';
import { matchEvents } from '../event/event-matches.js';
import { knownTermsOf } from './known-terms.js';
import { marketReader } from './market-reader.js';
import { parentMarkets } from './parent-markets.js';
import { matchSeries } from '../tables/series-text.js';
import type { RankedRow } from '../tables/candidates.js';
import { allOf, type Condition, marketCondition } from '../tables/filters.js';
import { byPosition } from '../tables/position.js';
import type { QueryContext } from '../tables/read-rows.js';
import { byAllTerms, byMarketIdPrefix, byPrefixes } from '../tables/term-conditions.js';
import type { TextQuery } from '../tables/text-query.js';
import type { Selection } from './list-markets.query.js';
import { matchingMarkets } from './matching-markets.js';
import { type CatalogueSources, fullMarketRow, type Page, selectMarkets } from './markets.js';

interface TextListing extends Selection {
  readonly textQuery: TextQuery;
  readonly page: Page;
}

/**
 * The markets of a listing by words, in order. Each way to match is a statement that one index answers: by id and own
 * words, by named events, and by both. One condition over all of them would read every market.
 */
export const marketsByText = async (
  sources: CatalogueSources,
  { textQuery, filters, ofParent, page }: TextListing,
  queryContext: QueryContext,
): Promise<RankedRow<MarketState>[]> => {
  const { terms } = textQuery;
  const condition = marketCondition(filters, queryContext.nowUs);
  const events = await sources.events.current();
  // The markets of one series or event are few.
  if (ofParent !== null || events === undefined || terms.length === 0) {
    const matches = await matchingMarkets(sources, textQuery, queryContext);
    return selectMarkets(sources, allOf(...(ofParent ? [ofParent] : []), condition, matches), { page, queryContext });
  }
  const series = matchSeries(sources.series.text, textQuery);
  const known = await knownTermsOf(sources, { textQuery, category: filters.category }, queryContext);
  const own = byPrefixes(known.prefixMatches);
  const parents = parentMarkets(
    {
      terms,
      level: 'prefixes',
      filters,
      series,
      events: matchEvents(events, series, textQuery),
      own,
      ownTermsOf: known.prefixesOf,
      hasLooseMarkets: known.hasLooseMarkets,
    },
    queryContext.nowUs,
  );
  const { limit, after = null } = page;
  const read = marketReader(sources.clickhouse, { ...fullMarketRow, condition, count: limit, after }, queryContext);
  const ofOwn = async (conditions: Condition[]) =>
    (await Promise.all((await read.each(conditions)).map((one) => one.answers()))).flat();
  const found = await Promise.all([
    ofOwn([...(known.canBeId ? [byMarketIdPrefix(textQuery, known.prefixMatches)] : []), byAllTerms(terms, own)]),
    read.ofParents(parents, limit),
  ]);
  const byTicker = new Map(found.flat().map((match) => [match.position.id, match]));
  return [...byTicker.values()].toSorted((a, b) => byPosition(a.position, b.position)).slice(0, limit);
};
