import { isValidId } from '@almanac/bus';
import {
  type catalogRpc,
  decodeCursor,
  encodeCursor,
  listingOf,
  type Market,
  type MarketState,
  type marketsResponse,
  secondsOf,
} from '@almanac/contracts';
import { z } from 'zod';
import type { QueryContext } from '../tables/read-rows.js';
import { allOf, belongsTo, type Condition, type Filters, filtersOf, marketCondition } from '../tables/filters.js';
import { anyMarket, type RankedRow } from '../tables/candidates.js';
import { pageOf } from '../tables/pages.js';
import { parseTextQuery, type TextQuery } from '../tables/text-query.js';
import {
  closedUntil,
  completeWindow,
  cutToWindow,
  defaultWindow,
  type DefaultWindow,
  type NewestClosed,
  windowCondition,
} from './default-window.js';
import type { Vocabulary } from '../words/vocabulary.js';
import { marketsByText } from './markets-by-text.js';
import { type CatalogueSources, type Page, present, selectMarkets } from './markets.js';

export type ListMarketsInput = z.output<typeof catalogRpc.listMarkets.input>;
export type MarketList = Omit<z.output<typeof marketsResponse>, 'source'>;

/** The last market of the page, and the window of the listing. */
const position = z.tuple([z.int(), z.string().refine(isValidId), defaultWindow]);

/** Where a list finds its markets: in the archive as it is, or as it was known at a time. */
export interface ListedMarkets {
  readonly nowUs: number;
  readonly vocabulary: Vocabulary;
  /** In listing order. */
  select(condition: Condition, page: Page): Promise<RankedRow<MarketState>[]>;
  byText(selection: Selection & { readonly textQuery: TextQuery }, page: Page): Promise<RankedRow<MarketState>[]>;
  /** Whether a market that matches closed up to a time. */
  hasOlder(us: number, input: ListMarketsInput, condition: Condition): Promise<boolean>;
  present(state: MarketState): Market;
}

/** The archive as it is now. */
export const presentMarkets = (sources: CatalogueSources, queryContext: QueryContext): ListedMarkets => ({
  nowUs: queryContext.nowUs,
  vocabulary: sources.vocabulary,
  select: (condition, page) => selectMarkets(sources, condition, { page, queryContext }),
  byText: (selection, page) => marketsByText(sources, { ...selection, page }, queryContext),
  hasOlder: async (us, input, condition) =>
    isKnownOlder(sources, input, us) || anyMarket(sources.clickhouse, condition, queryContext),
  present: (state) => present(sources, state, queryContext.nowUs),
});

/** The listing of a request, whose cursors other requests refuse. */
export const listingOfMarkets = ({ limit: _limit, cursor: _cursor, has_gaps, ...filters }: ListMarketsInput): string =>
  listingOf('markets', { ...filters, has_gaps: typeof has_gaps === 'boolean' ? String(has_gaps) : null });

/** Where a page begins: after a market of the listing, and its window. Null: at the start. */
export type MarketPosition = z.output<typeof position> | null;
export const startOfPage = (input: ListMarketsInput): MarketPosition =>
  decodeCursor(input.cursor, { listing: listingOfMarkets(input), position });

export interface MarketPage {
  readonly items: readonly RankedRow<MarketState>[];
  readonly hasMore: boolean;
  readonly window: DefaultWindow;
  readonly bounds: Pick<MarketList, 'from_ts' | 'to_ts' | 'defaulted' | 'has_older'>;
}

export const positionAfter = ({ position: last }: RankedRow<unknown>, { window }: MarketPage): MarketPosition => [
  last.key,
  last.id,
  window,
];

/**
 * GET /markets: newest close first, then ticker. Without a time, an event or words: live markets, and those that
 * closed in the last `days` days. The days count back from the newest close among the markets that match the other
 * filters, so that an archive of old data does not look empty.
 */
export const listMarkets = async (markets: ListedMarkets, input: ListMarketsInput): Promise<MarketList> => {
  const page = await readMarketPage(markets, input, startOfPage(input));
  const last = page.items.at(-1);
  const after = page.hasMore && last !== undefined ? positionAfter(last, page) : null;
  return marketListOf(markets, input, { ...page, after });
};

/** The answer with the markets of a page. `after`: where the next one begins. Null: it is the last. */
export const marketListOf = (
  markets: Pick<ListedMarkets, 'present'>,
  input: ListMarketsInput,
  { items, bounds, after }: Pick<MarketPage, 'items' | 'bounds'> & { readonly after: MarketPosition },
): MarketList => ({
  count: items.length,
  markets: items.map(({ row }) => markets.present(row)),
  has_more: after !== null,
  next_cursor: after === null ? null : encodeCursor(listingOfMarkets(input), after),
  ...bounds,
});

/** Markets that match all filters but those of coverage, from a position. */
export const readMarketPage = async (
  markets: ListedMarkets,
  input: ListMarketsInput,
  start: MarketPosition,
): Promise<MarketPage> => {
  const { nowUs } = markets;
  const { limit } = input;
  const selection = selectionOf(input, markets);
  const defaulted = isOpenEnded(input);
  const bounds = { from_ts: input.from_ts ?? null, to_ts: input.to_ts ?? null, defaulted, has_older: false };
  if (selection === undefined) return { items: [], hasMore: false, window: null, bounds };
  const startWindow: DefaultWindow = defaulted ? (start?.[2] ?? [nowUs]) : null;
  const { textQuery, filters: marketFilters, ofParent } = selection;
  const page = { limit: limit + 1, after: start && { key: start[0], id: start[1] } };
  const condition = allOf(...(ofParent ? [ofParent] : []), marketCondition(marketFilters, nowUs));
  const found =
    textQuery === null
      ? await markets.select(allOf(condition, ...windowCondition(startWindow)), page)
      : await markets.byText({ ...selection, textQuery }, page);
  const cut = cutToWindow(found, { window: startWindow, days: input.days });
  const newestClosed: NewestClosed = async (us) =>
    (await markets.select(allOf(condition, closedUntil(us)), { limit: 1 }))[0];
  const window = await completeWindow(cut.window, { days: input.days, newestClosed });
  const { items, has_more: hasMore } = pageOf(cut.listed, limit);
  if (typeof window !== 'number') return { items, hasMore, window, bounds };
  const has_older =
    cut.listed.length < found.length || (await markets.hasOlder(window, input, allOf(condition, closedUntil(window))));
  return { items, hasMore, window, bounds: { ...bounds, from_ts: secondsOf(window + 1), has_older } };
};

const isOpenEnded = ({ event, q, from_ts, to_ts }: ListMarketsInput): boolean =>
  !event && !q?.trim() && (from_ts ?? null) === null && (to_ts ?? null) === null;

/**
 * Whether the figures in memory have a market that closed up to a time. They are counted by series only. False if they
 * do not tell.
 */
const isKnownOlder = (
  { figures }: CatalogueSources,
  { series, category, status }: ListMarketsInput,
  us: number,
): boolean => {
  if (category || status) return false;
  const oldest = figures.oldestCloseUs(series || undefined) ?? null;
  return oldest !== null && oldest >= 0 && oldest <= us;
};

export interface Selection {
  readonly textQuery: TextQuery | null;
  readonly filters: Filters;
  /** On `markets`: the market belongs to the given series or event. Null if none is given. */
  readonly ofParent: Condition | null;
}

/** Undefined if nothing can match. */
export const selectionOf = (
  input: ListMarketsInput,
  { vocabulary }: Pick<ListedMarkets, 'vocabulary'>,
): Selection | undefined => {
  const filters = filtersOf(input);
  const series = belongsTo('series', input.series);
  const event = belongsTo('event_ticker', input.event);
  const textQuery = parseTextQuery(input.q, vocabulary);
  if (!filters || !series || !event || textQuery === undefined) return undefined;
  return { textQuery, filters, ofParent: input.series || input.event ? allOf(series, event) : null };
};
