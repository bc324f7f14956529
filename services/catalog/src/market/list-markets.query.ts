import { isValidId } from '@almanac/bus';
import { type catalogRpc, decodeCursor, encodeCursor, listingOf, type marketsResponse } from '@almanac/contracts';
import { z } from 'zod';
import type { QueryContext } from '../tables/read-rows.js';
import { allOf, belongsTo, type Condition, filtersOf, marketCondition } from '../tables/filters.js';
import { pageOf } from '../tables/pages.js';
import { parseTextQuery } from '../tables/text-query.js';
import { cutToWindow, defaultWindow, type DefaultWindow, windowCondition } from './default-window.js';
import { matchingMarkets } from './matching-markets.js';
import { type CatalogueSources, present, selectMarkets } from './markets.js';

type ListMarketsInput = z.output<typeof catalogRpc.listMarkets.input>;
type MarketList = Omit<z.output<typeof marketsResponse>, 'source'>;

/** The last market of the page, and the window of the listing. */
const position = z.tuple([z.int(), z.string().refine(isValidId), defaultWindow]);

/**
 * GET /markets: newest close first, then ticker. Without a time, an event or words: live markets, and those that
 * closed in the last `days` days. The days count back from the newest close among the markets that match the other
 * filters, so that an archive of old data does not look empty.
 */
export const listMarkets = async (
  sources: CatalogueSources,
  input: ListMarketsInput,
  queryContext: QueryContext,
): Promise<MarketList> => {
  const { limit, cursor: given, ...filters } = input;
  const listing = listingOf('markets', filters);
  const cursor = decodeCursor(given, { listing, position });
  const condition = await conditionOf(sources, input, queryContext);
  if (condition === undefined) return { count: 0, markets: [], has_more: false, next_cursor: null };
  const startWindow: DefaultWindow = isOpenEnded(input) ? (cursor?.[2] ?? [queryContext.nowUs]) : null;
  const found = await selectMarkets(sources, allOf(condition, ...windowCondition(startWindow)), {
    page: { limit: limit + 1, after: cursor && { key: cursor[0], id: cursor[1] } },
    queryContext,
  });
  const { listed, window } = cutToWindow(found, { window: startWindow, days: input.days });
  const { items, has_more } = pageOf(listed, limit);
  const last = items.at(-1)?.position;
  return {
    count: items.length,
    markets: items.map(({ row }) => present(sources, row, queryContext.nowUs)),
    has_more,
    next_cursor: has_more && last ? encodeCursor(listing, [last.key, last.id, window]) : null,
  };
};

const isOpenEnded = ({ event, q, from_ts, to_ts }: ListMarketsInput): boolean =>
  !event && !q?.trim() && (from_ts ?? null) === null && (to_ts ?? null) === null;

/** Undefined if nothing can match. */
const conditionOf = async (
  sources: CatalogueSources,
  input: ListMarketsInput,
  queryContext: QueryContext,
): Promise<Condition | undefined> => {
  const filters = filtersOf(input);
  const series = belongsTo('series', input.series);
  const event = belongsTo('event_ticker', input.event);
  const textQuery = parseTextQuery(input.q, sources.vocabulary);
  if (!filters || !series || !event || textQuery === undefined) return undefined;
  const matches = await matchingMarkets(sources, textQuery, queryContext);
  return allOf(series, event, marketCondition(filters, queryContext.nowUs), matches);
};
