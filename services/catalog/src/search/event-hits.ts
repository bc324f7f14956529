import type { ClickHouse } from '@almanac/clickhouse';
import { secondsOf } from '@almanac/contracts';
import { z } from 'zod';
import { eventCondition, eventRow, eventsSql, eventsThatAnswer, statusOfEvent } from '../event/event-items.js';
import { ask, type Asking } from '../tables/ask.js';
import { allOf, type Condition } from '../tables/filters.js';
import { byExactId, byIdPrefix, byTitle, byWords, type Question } from '../tables/question.js';
import type { Ranked, Sought } from './ranked.js';

/** Events that answer, best first. */
export const eventHits = async (
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
  return found.map((row) => ({
    kind: 'event',
    position: { key: row.close_key, id: row.event_ticker },
    score: row.score,
    shown: {
      title: row.title,
      category: row.category,
      series: row.series,
      event_ticker: row.event_ticker,
      status: statusOfEvent(row, nowUs),
      close_ts: secondsOf(row.newest_close_us),
    },
  }));
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
