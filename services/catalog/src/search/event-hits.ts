import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { eventCondition, eventRow, eventsSql, matchingEvents } from '../event/event-items.js';
import type { EventCache } from '../event/event-cache.js';
import { readRows, type QueryContext } from '../tables/read-rows.js';
import { allOf, type Condition } from '../tables/filters.js';
import { byExactId, byIdPrefix, byTitle, byWords, type TextQuery } from '../tables/text-query.js';
import { eventHit, cachedEventHits } from './cached-event-hits.js';
import type { Ranked, SearchRequest } from './ranked.js';

export interface EventSources {
  readonly clickhouse: ClickHouse;
  readonly events: Pick<EventCache, 'current'>;
}

/** Matching events, best first: from memory, or from the tables if there are too many or not loaded yet. */
export const eventHits = async (
  { clickhouse, events }: EventSources,
  request: SearchRequest,
  queryContext: QueryContext,
): Promise<Ranked[]> => {
  const now = await events.current();
  return now === undefined
    ? storedEventHits(clickhouse, request, queryContext)
    : cachedEventHits({ clickhouse, now }, request, queryContext);
};

/** The same from the tables. */
export const storedEventHits = async (
  clickhouse: ClickHouse,
  { filters, textQuery, count }: SearchRequest,
  { nowUs, signal }: QueryContext,
): Promise<Ranked[]> => {
  const answers = textQuery === null ? allOf() : matchingEvents(textQuery);
  const fits = eventCondition(filters, nowUs);
  const score = scoreSql(textQuery);
  const matched = `SELECT event_ticker FROM events WHERE ${answers.sql}`;
  const events = eventsSql({ fits: answers.sql, ...(textQuery && { matched }) });
  const sql = `SELECT * EXCEPT words, ${score.sql} AS score FROM (${events}) WHERE ${fits.sql}
    ORDER BY score DESC, close_key DESC, event_ticker LIMIT {count:UInt32}`;
  const params = { ...answers.params, ...fits.params, ...score.params, count };
  const found = await readRows(clickhouse, { sql, params, signal }, eventRow.extend({ score: z.number() }));
  return found.map((row) => eventHit(row, row, { score: row.score, nowUs }));
};

/** Like `scoreOf`, for rows that match. */
const scoreSql = (textQuery: TextQuery | null): Condition => {
  if (textQuery === null) return { sql: '1.', params: {} };
  const column = 'event_ticker';
  const [exact, prefix] = [byExactId(textQuery, column), byIdPrefix(textQuery, column)];
  const neverMatches = { sql: '0', params: {} };
  const [title, words] = [byTitle(textQuery) ?? neverMatches, byWords(textQuery) ?? neverMatches];
  return {
    sql: `multiIf(${exact.sql}, 1., ${prefix.sql}, 0.75, ${title.sql}, 0.625, ${words.sql}, 0.5, 0.25)`,
    params: { ...exact.params, ...title.params, ...words.params },
  };
};
