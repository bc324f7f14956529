import { isNameable } from '@almanac/bus';
import type { catalogRpc, marketsResponse } from '@almanac/contracts';
import { z } from 'zod';
import { ask } from '../tables/ask.js';
import { decodeCursor, encodeCursor } from '../tables/cursor.js';
import { equals, type Filters, filtersOf, idParam } from '../tables/filters.js';
import { marketsNow } from '../tables/now.js';
import { pageOf } from '../tables/pages.js';
import { type Asking, type CatalogueSources, closeKeyOf, present, selectMarkets } from './markets.js';

type Question = z.output<typeof catalogRpc.listMarkets.input>;

/** The last market seen, and where the default window began, so that later pages are of the same listing. */
const position = z.tuple([z.int(), z.string().refine(isNameable), z.int().nullable()]);

const dayUs = 86_400_000_000;

/**
 * GET /markets: newest close first, then ticker. Without a time, an event or words: what is live, and what closed in
 * the last `days` days counted back from the newest close among the markets that the other filters leave, so that an
 * archive of old data does not look empty.
 */
export const listMarkets = async (
  sources: CatalogueSources,
  question: Question,
  asking: Asking,
): Promise<z.output<typeof marketsResponse>> => {
  const filters = filtersOf(question, asking.nowUs);
  const after = decodeCursor(question.cursor, position);
  const where = [
    filters.plain,
    filters.window ?? '1',
    filters.matches('ticker'),
    equals('series', question.series),
    equals('event_ticker', question.event),
  ];
  const params = {
    ...filters.params,
    series: idParam(question.series),
    event_ticker: idParam(question.event),
    after_key: after?.[0] ?? 0,
    after_ticker: after?.[1] ?? '',
  };
  const floorUs = isOpenEnded(question, filters)
    ? (after?.[2] ?? (await windowFloor(sources, { where, params, days: question.days }, asking)))
    : null;
  if (floorUs !== null) where.push('(live OR (close_us > {floor_us:Int64} AND close_us <= {now_us:Int64}))');
  if (after !== null) {
    where.push('(close_key < {after_key:Int64} OR (close_key = {after_key:Int64} AND ticker > {after_ticker:String}))');
  }
  const found = await selectMarkets(
    sources,
    {
      where,
      orderBy: 'close_key DESC, ticker',
      limit: question.limit + 1,
      params: { ...params, floor_us: floorUs ?? 0 },
    },
    asking,
  );
  const { items, has_more } = pageOf(found, question.limit);
  const last = items.at(-1);
  return {
    count: items.length,
    source: 'archive',
    markets: items.map((state) => present(sources, state, asking.nowUs)),
    has_more,
    next_cursor: has_more && last ? encodeCursor([closeKeyOf(last), last.ticker, floorUs]) : null,
  };
};

const isOpenEnded = ({ event, q }: Question, { window }: Filters): boolean =>
  window === undefined && !event && !q?.trim();

/** Where the default window begins; 0 when nothing that matches has closed yet. */
const windowFloor = async (
  { clickhouse }: CatalogueSources,
  { where, params, days }: { where: readonly string[]; params: Readonly<Record<string, unknown>>; days: number },
  { nowUs, signal }: Asking,
): Promise<number> => {
  const sql = `SELECT max(close_us) AS newest_us FROM ${marketsNow}
    WHERE close_us <= {now_us:Int64} AND ${where.join(' AND ')}`;
  const found = await ask(
    clickhouse,
    { sql, params: { ...params, now_us: nowUs }, signal },
    z.object({ newest_us: z.int().nullable() }),
  );
  return Math.max(0, (found[0]?.newest_us ?? 0) - days * dayUs);
};
