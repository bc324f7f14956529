import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { eventCondition, eventRow, eventsSql, matchingEvents, orSeries } from '../event/event-items.js';
import type { SeriesMatches } from '../tables/series-text.js';
import { readRows, type QueryContext } from '../tables/read-rows.js';
import { allOf, type Condition } from '../tables/filters.js';
import { byAllTerms, byForms, byPrefixScan } from '../tables/term-conditions.js';
import { byExactId, byIdPrefix, byTitle, byWords, scores, type TextQuery } from '../tables/text-query.js';
import { eventHit } from './cached-event-hits.js';
import type { Ranked, SearchRequest } from './ranking.js';

/** Matching events, best first, from the tables: if there are too many for memory, or not loaded yet. */
export const storedEventHits = async (
  { clickhouse, series }: { clickhouse: ClickHouse; series: SeriesMatches | null },
  { filters, textQuery, count }: SearchRequest,
  { nowUs, signal }: QueryContext,
): Promise<Ranked[]> => {
  const isText = textQuery !== null && series !== null;
  const answers = isText ? matchingEvents(textQuery, series) : allOf();
  const fits = eventCondition(filters, nowUs);
  const score = isText ? scoreSql(textQuery, series) : { sql: '1.', params: {} };
  const matched = `SELECT event_ticker FROM events WHERE ${answers.sql}`;
  const events = eventsSql({ fits: answers.sql, ...(isText && { matched }) });
  const sql = `SELECT * EXCEPT words, ${score.sql} AS score FROM (${events}) WHERE ${fits.sql}
    ORDER BY score DESC, close_key DESC, event_ticker LIMIT {count:UInt32}`;
  const params = { ...answers.params, ...fits.params, ...score.params, count };
  const found = await readRows(clickhouse, { sql, params, signal }, eventRow.extend({ score: z.number() }));
  return found.map((row) => eventHit(row, row, { score: row.score, nowUs }));
};

/** The score of rows that match: that of the first condition that holds. */
const scoreSql = (textQuery: TextQuery, series: SeriesMatches): Condition => {
  const { terms } = textQuery;
  const column = 'event_ticker';
  const [title, words] = [byTitle(textQuery), byWords(textQuery)];
  const steps: [score: number, condition: Condition][] = [
    [scores.id, byExactId(textQuery, column)],
    [scores.idPrefix, byIdPrefix(textQuery, column)],
    ...(title ? [[scores.title, title] satisfies [number, Condition]] : []),
    ...(words ? [[scores.words, words] satisfies [number, Condition]] : []),
  ];
  if (terms.length > 0) {
    steps.push(
      [scores.forms, byAllTerms(terms, byForms)],
      [scores.parents, byAllTerms(terms, orSeries(byForms, { series, level: 'forms' }))],
      [scores.prefixes, byAllTerms(terms, byPrefixScan)],
    );
  }
  const params: Record<string, unknown> = {};
  for (const [, condition] of steps) Object.assign(params, condition.params);
  return {
    sql: `multiIf(${steps.map(([score, { sql }]) => `${sql}, ${score.toFixed(4)}`).join(', ')}, ${scores.parentPrefixes})`,
    params,
  };
};
