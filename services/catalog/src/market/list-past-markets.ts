import { DomainError, type MarketState, presentMarketAt, type ReadTime } from '@almanac/contracts';
import { anyPastMatch, pastVocabulary } from '../tables/past-scores.js';
import { allOf, marketCondition } from '../tables/filters.js';
import type { QueryContext } from '../tables/read-rows.js';
import type { ListedMarkets, ListMarketsInput } from './list-markets.query.js';
import { type CatalogueSources, shapeOf } from './markets.js';
import { pastMarkets, type Parent } from './past-markets.js';

/** The archive as of a time, for GET /markets. Throws `invalid_input` with `changed_since_ts`, which is about imports. */
export const listedAsOf = (
  { clickhouse, series }: Pick<CatalogueSources, 'clickhouse' | 'series'>,
  input: ListMarketsInput,
  { time, queryContext }: { readonly time: ReadTime; readonly queryContext: QueryContext },
): ListedMarkets => {
  if ((input.changed_since_ts ?? null) !== null) {
    throw new DomainError(
      'invalid_input',
      'A list of changes is of the present, so as_of (also that of a key) does not work with changed_since_ts. Leave one of them out, or use a key without as_of.',
    );
  }
  const { nowUs } = time;
  const past = { clickhouse, asOfUs: nowUs, signal: queryContext.signal };
  const parent = parentOf(input);
  const select: ListedMarkets['select'] = (condition, page) => pastMarkets(past, { condition, parent, page });
  return {
    nowUs,
    vocabulary: pastVocabulary,
    select,
    byText: ({ textQuery, filters, ofParent }, page) =>
      select(allOf(...(ofParent ? [ofParent] : []), marketCondition(filters, nowUs), anyPastMatch(textQuery)), page),
    hasOlder: async (_us, _input, condition) => (await select(condition, { limit: 1 })).length > 0,
    present: (state: MarketState) => presentMarketAt(state, shapeOf(series.states, state), time),
  };
};

const parentOf = ({ event, series }: ListMarketsInput): Parent | undefined => {
  if (event) return { column: 'event_ticker', id: event };
  return series ? { column: 'series', id: series } : undefined;
};
