import { z } from 'zod';
import { type Parent, type PastArchive, pastSettings, pastTable } from './past-markets.js';
import { closesIn, type Filters, type Status } from '../tables/filters.js';
import { readRows } from '../tables/read-rows.js';
import type { TextQuery } from '../tables/text-query.js';
import { anyPastMatch, pastScore, scoredTexts } from '../tables/past-scores.js';

const text = z.string().transform((value) => (value === '' ? null : value));

/** What follows from the markets of an event or a series that were listed by a time. */
const groupRow = z.object({
  id: z.string(),
  score: z.number(),
  series_of: text,
  category_of: text,
  markets_n: z.int(),
  known_n: z.int(),
  live_n: z.int(),
  strikes_n: z.int(),
  newest_key: z.int(),
  newest_close_us: z.int().nullable(),
  oldest_open_us: z.int().nullable(),
});
export type PastGroup = z.output<typeof groupRow>;

export interface GroupQuery {
  readonly parent?: Parent;
  readonly filters: Filters;
  readonly textQuery: TextQuery | null;
  readonly page: { readonly limit: number; readonly offset?: number };
}

const statusConditions: Readonly<Record<Status, string>> = {
  live: 'live_n > 0',
  closed: '(live_n = 0 AND known_n < markets_n)',
  finalized: '(live_n = 0 AND known_n = markets_n)',
};

/**
 * The events or series that match, as of a time: best score first, then the latest close, then id. `groups` lists them by the
 * last two only. A group has all of its markets, whatever matches.
 */
export const pastGroups = async (
  { clickhouse, asOfUs, signal }: PastArchive,
  of: 'event' | 'series',
  {
    parent,
    filters: { status, category, window },
    textQuery,
    page,
    order,
  }: GroupQuery & { readonly order: 'score' | 'close' },
): Promise<PastGroup[]> => {
  const scored = scoredTexts[of];
  const table = pastTable(asOfUs, parent);
  const score = pastScore(textQuery, scored);
  const closes = window && closesIn(window);
  // These columns never change, so all rows propose the groups that can match, and the others are not computed.
  const proposed =
    textQuery === null
      ? ''
      : `AND ${scored.id} IN (SELECT ${scored.id} FROM markets WHERE ${anyPastMatch(textQuery, scored).sql})`;
  const having = [
    'score > 0',
    ...(status ? [statusConditions[status]] : []),
    ...(category ? ['category_of = {category:String}'] : []),
    ...(closes ? [`countIf(${closes.sql}) > 0`] : []),
  ];
  const sql = `SELECT ${scored.id} AS id, max(row_score) AS score, max(toString(series)) AS series_of,
      max(toString(category)) AS category_of, count() AS markets_n, countIf(known) AS known_n,
      countIf(close_key > {as_of_us:Int64}) AS live_n, countIf(isNotNull(floor_strike)) AS strikes_n,
      max(close_key) AS newest_key, max(close_us) AS newest_close_us, min(open_us) AS oldest_open_us
    FROM (SELECT *, ${score.sql} AS row_score FROM ${table.sql} AS past WHERE ${scored.id} != '' ${proposed}) AS scored
    GROUP BY id HAVING ${having.join(' AND ')}
    ORDER BY ${order === 'score' ? 'score DESC, ' : ''}newest_key DESC, id LIMIT {limit:UInt32} OFFSET {offset:UInt32}`;
  const params = {
    ...table.params,
    ...score.params,
    ...closes?.params,
    ...(category && { category }),
    ...page,
    offset: page.offset ?? 0,
  };
  return readRows(clickhouse, { sql, params, signal, settings: pastSettings }, groupRow);
};
