import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { eventCondition, eventRow, eventsSql, eventsThatAnswer } from '../event/event-items.js';
import type { EventsKept } from '../event/events-kept.js';
import { ask, type Asking } from '../tables/ask.js';
import { allOf, type Condition } from '../tables/filters.js';
import { byExactId, byIdPrefix, byTitle, byWords, type Question } from '../tables/question.js';
import { eventHit, keptEventHits } from './kept-event-hits.js';
import type { Ranked, Sought } from './ranked.js';

export interface EventSources {
  readonly clickhouse: ClickHouse;
  readonly events: Pick<EventsKept, 'current'>;
}

/** Events that answer, best first: from memory, or from the tables where there are too many, or not read yet. */
export const eventHits = async (
  { clickhouse, events }: EventSources,
  sought: Sought,
  asking: Asking,
): Promise<Ranked[]> => {
  const now = await events.current();
  return now === undefined
    ? storedEventHits(clickhouse, sought, asking)
    : keptEventHits({ clickhouse, now }, sought, asking);
};

/** The same from the tables. */
export const storedEventHits = async (
  clickhouse: ClickHouse,
  { filters, question, count }: Sought,
  { nowUs, signal }: Asking,
): Promise<Ranked[]> => {
  const answers = question === null ? allOf() : eventsThatAnswer(question);
  const fits = eventCondition(filters, nowUs);
  const score = scoreSql(question);
  const matched = `SELECT event_ticker FROM events WHERE ${answers.sql}`;
  const events = eventsSql({ fits: answers.sql, ...(question && { matched }) });
  const sql = `SELECT * EXCEPT words, ${score.sql} AS score FROM (${events}) WHERE ${fits.sql}
    ORDER BY score DESC, close_key DESC, event_ticker LIMIT {count:UInt32}`;
  const params = { ...answers.params, ...fits.params, ...score.params, count };
  const found = await ask(clickhouse, { sql, params, signal }, eventRow.extend({ score: z.number() }));
  return found.map((row) => eventHit(row, row, { score: row.score, nowUs }));
};

/** As `scoreOf` has it, of what answers at all. */
const scoreSql = (question: Question | null): Condition => {
  if (question === null) return { sql: '1.', params: {} };
  const column = 'event_ticker';
  const [exact, prefix] = [byExactId(question, column), byIdPrefix(question, column)];
  const none = { sql: '0', params: {} };
  const [title, words] = [byTitle(question) ?? none, byWords(question) ?? none];
  return {
    sql: `multiIf(${exact.sql}, 1., ${prefix.sql}, 0.75, ${title.sql}, 0.625, ${words.sql}, 0.5, 0.25)`,
    params: { ...exact.params, ...title.params, ...words.params },
  };
};
