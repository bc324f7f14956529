import { asOfField, type catalogRpc, type searchResponse, secondsOf } from '@almanac/contracts';
import { z } from 'zod';
import { pastEvent } from '../event/past-events.js';
import { type PastArchive, pastSettings, pastTable } from '../market/past-markets.js';
import { positionOf } from '../tables/candidates.js';
import { allOf, filtersOf, marketCondition, statusOfMany } from '../tables/filters.js';
import { nextOffset, pageOf } from '../tables/pages.js';
import { readRows } from '../tables/read-rows.js';
import { parseTextQuery } from '../tables/text-query.js';
import { hitColumns, hitRow, shownOf } from './market-hits.js';
import { type GroupQuery, type PastGroup, pastGroups } from '../market/past-groups.js';
import { pastScore, pastVocabulary, scoredTexts } from '../tables/past-scores.js';
import { byRank, type Ranked, type SearchHit } from './ranking.js';
import { readableSeries } from '../words/readable-names.js';

type SearchInput = z.output<typeof catalogRpc.search.input>;

/**
 * GET /search with `as_of`: the order of `search`, over what was listed by then, with the words that were known. It corrects
 * no spellings.
 */
export const pastSearch = async (past: PastArchive, input: SearchInput): Promise<z.output<typeof searchResponse>> => {
  const { q, offset, limit } = input;
  const filters = filtersOf(input);
  const textQuery = parseTextQuery(q, pastVocabulary);
  const page = { limit: offset + limit + 1 };
  const found = filters && textQuery !== undefined ? await everyKind(past, { filters, textQuery, page }) : [];
  const { items, has_more } = pageOf(found.slice(offset), limit);
  return {
    q,
    count: items.length,
    offset,
    limit,
    has_more,
    next_offset: nextOffset(offset, items.length, has_more),
    hits: items.flatMap(({ kind, score, position: { id }, display }): SearchHit[] =>
      display === undefined ? [] : [{ kind, id, ...display, score }],
    ),
    ...asOfField(past.asOfUs),
  };
};

const everyKind = async (past: PastArchive, query: GroupQuery): Promise<Ranked[]> => {
  const [series, events, markets] = await Promise.all([
    pastGroups(past, 'series', { ...query, order: 'score' }),
    pastGroups(past, 'event', { ...query, order: 'score' }),
    marketHits(past, query),
  ]);
  const found = [
    ...series.map((group) => seriesHit(group, past.asOfUs)),
    ...events.map((group) => eventHit(group, past.asOfUs)),
    ...markets,
  ];
  return found.toSorted(byRank);
};

const scoredRow = hitRow.extend({ ticker: z.string(), score: z.number() });

const marketHits = async (
  { clickhouse, asOfUs, signal }: PastArchive,
  { filters, textQuery, page }: GroupQuery,
): Promise<Ranked[]> => {
  const table = pastTable(asOfUs);
  const score = pastScore(textQuery, scoredTexts.market);
  const fits = allOf(marketCondition(filters, asOfUs));
  const sql = `SELECT ticker, close_key, ${hitColumns}, ${score.sql} AS score FROM ${table.sql} AS past
    WHERE score > 0 AND ${fits.sql} ORDER BY score DESC, close_key DESC, ticker LIMIT {limit:UInt32}`;
  const params = { ...table.params, ...score.params, ...fits.params, limit: page.limit };
  const found = await readRows(clickhouse, { sql, params, signal, settings: pastSettings }, scoredRow);
  return found.map((row) => ({
    kind: 'market',
    position: positionOf(row),
    score: row.score,
    display: shownOf(row, asOfUs),
  }));
};

const eventHit = (group: PastGroup, asOfUs: number): Ranked => {
  const { title, series, category, status, close_ts } = pastEvent(group, asOfUs).event;
  const display = { title, series, category, status, close_ts, event_ticker: group.id };
  return { kind: 'event', position: { key: group.newest_key, id: group.id }, score: group.score, display };
};

const seriesHit = (group: PastGroup, asOfUs: number): Ranked => ({
  kind: 'series',
  position: { key: group.newest_key, id: group.id },
  score: group.score,
  display: {
    title: readableSeries(group.id),
    category: group.category_of,
    series: group.id,
    event_ticker: null,
    status: statusOfMany({ ...group, close_key: group.newest_key }, asOfUs),
    close_ts: secondsOf(group.newest_close_us),
  },
});
