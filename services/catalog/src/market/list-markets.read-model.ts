import { isNameable } from '@almanac/bus';
import { type catalogRpc, decodeCursor, encodeCursor, listingOf, type marketsResponse } from '@almanac/contracts';
import { z } from 'zod';
import type { Asking } from '../tables/ask.js';
import { allOf, belongsTo, type Condition, filtersOf, marketCondition } from '../tables/filters.js';
import { pageOf } from '../tables/pages.js';
import { questionOf } from '../tables/question.js';
import { cutToWindow, defaultWindow, type DefaultWindow, windowCondition } from './default-window.js';
import { marketsThatAnswer } from './markets-that-answer.js';
import { type CatalogueSources, present, selectMarkets } from './markets.js';

type Asked = z.output<typeof catalogRpc.listMarkets.input>;
type Answered = Omit<z.output<typeof marketsResponse>, 'source'>;

/** The last market seen, and the window of the listing. */
const position = z.tuple([z.int(), z.string().refine(isNameable), defaultWindow]);

/**
 * GET /markets: newest close first, then ticker. Without a time, an event or words: what is live, and what closed in
 * the last `days` days counted back from the newest close among the markets that the other filters leave, so that an
 * archive of old data does not look empty.
 */
export const listMarkets = async (sources: CatalogueSources, asked: Asked, asking: Asking): Promise<Answered> => {
  const { limit, cursor: given, ...filters } = asked;
  const listing = listingOf('markets', filters);
  const cursor = decodeCursor(given, { listing, position });
  const condition = await conditionOf(sources, asked, asking);
  if (condition === undefined) return { count: 0, markets: [], has_more: false, next_cursor: null };
  const begun: DefaultWindow = isOpenEnded(asked) ? (cursor?.[2] ?? [asking.nowUs]) : null;
  const found = await selectMarkets(sources, allOf(condition, ...windowCondition(begun)), {
    page: { limit: limit + 1, after: cursor && { key: cursor[0], id: cursor[1] } },
    asking,
  });
  const { listed, window } = cutToWindow(found, { window: begun, days: asked.days });
  const { items, has_more } = pageOf(listed, limit);
  const last = items.at(-1)?.position;
  return {
    count: items.length,
    markets: items.map(({ row }) => present(sources, row, asking.nowUs)),
    has_more,
    next_cursor: has_more && last ? encodeCursor(listing, [last.key, last.id, window]) : null,
  };
};

const isOpenEnded = ({ event, q, from_ts, to_ts }: Asked): boolean =>
  !event && !q?.trim() && (from_ts ?? null) === null && (to_ts ?? null) === null;

/** Undefined where nothing can fit. */
const conditionOf = async (sources: CatalogueSources, asked: Asked, asking: Asking): Promise<Condition | undefined> => {
  const filters = filtersOf(asked);
  const series = belongsTo('series', asked.series);
  const event = belongsTo('event_ticker', asked.event);
  const question = questionOf(asked.q);
  if (!filters || !series || !event || question === undefined) return undefined;
  const answers = await marketsThatAnswer(sources, question, asking);
  return allOf(series, event, marketCondition(filters, asking.nowUs), answers);
};
