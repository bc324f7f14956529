import { allOf, anyOf, type Condition } from '../tables/filters.js';
import type { QueryContext } from '../tables/read-rows.js';
import { prefixMatchesOf, byWordPrefixes, byIdPrefix, type TextQuery } from '../tables/text-query.js';
import type { CatalogueSources } from './markets.js';

/** On `markets`: the market matches the text query, with any score. */
export const matchingMarkets = async (
  sources: CatalogueSources,
  textQuery: TextQuery | null,
  { signal }: QueryContext,
): Promise<Condition> => {
  if (textQuery === null) return allOf();
  const byWords = byWordPrefixes(textQuery, await prefixMatchesOf(sources, textQuery, signal));
  return anyOf(byIdPrefix(textQuery), ...(byWords ? [byWords] : []));
};
