import type { ClickHouse } from '@almanac/clickhouse';
import { secondsOf } from '@almanac/contracts';
import { z } from 'zod';
import type { CatalogueSources } from '../market/markets.js';
import type { QueryContext } from '../tables/read-rows.js';
import { type RankedRow, candidates, markets, marketsById, type Shape } from '../tables/candidates.js';
import { allOf, type Condition, marketCondition, statusOfMany } from '../tables/filters.js';
import type { Position } from '../tables/position.js';
import {
  prefixMatchesOf,
  byWordPrefixes,
  byExactId,
  byIdPrefix,
  byTitle,
  byWords,
  isOnlyWord,
  lowerOf,
} from '../tables/text-query.js';
import type { Ranked, SearchRequest } from './ranked.js';

const text = z.string().transform((value) => (value === '' ? null : value));
const hitColumns = 'title, category, series, event_ticker, known, close_us';
const hitRow = z.object({
  title: text,
  category: text,
  series: text,
  event_ticker: text,
  known: z.boolean(),
  close_us: z.int().nullable(),
  close_key: z.int(),
});
type HitRow = z.output<typeof hitRow>;

const fullShape: Shape<z.ZodType<HitRow | undefined>> = { columns: hitColumns, row: hitRow };
/** Most of a long list is skipped, so columns for display are read only for the page, later. */
const slim: typeof fullShape = { columns: 'known', row: z.unknown().transform(() => undefined) };
const fullRowsMax = 600;

type Sources = Pick<CatalogueSources, 'clickhouse' | 'words'>;

export const marketHits = async (
  sources: Sources,
  request: SearchRequest,
  queryContext: QueryContext,
): Promise<Ranked[]> => {
  const hits = new Map<string, Ranked>();
  for await (const { score, answers } of levels(sources, request, queryContext)) {
    for (const { position, row } of answers) {
      if (hits.has(position.id)) continue;
      hits.set(position.id, { kind: 'market', position, score, display: row && shownOf(row, queryContext.nowUs) });
    }
    if (hits.size >= request.count) break;
  }
  return [...hits.values()];
};

export const shownMarkets = async (
  clickhouse: ClickHouse,
  tickers: readonly string[],
  queryContext: QueryContext,
): Promise<ReadonlyMap<string, NonNullable<Ranked['display']>>> => {
  const found = await marketsById(clickhouse, { columns: hitColumns, row: hitRow }, { tickers, queryContext });
  return new Map([...found].map(([ticker, row]) => [ticker, shownOf(row, queryContext.nowUs)]));
};

interface Level {
  readonly score: number;
  /** The best matches, up to `count`. Some may also be in a higher level. */
  readonly answers: readonly RankedRow<HitRow | undefined>[];
}

/**
 * Searches in levels, as far as the caller reads: the id, prefixes of ids, titles, words, prefixes of words. It first
 * looks up which words exist. If a word of the query is a prefix of none, no market or id matches. If the words are
 * only prefixes, they are not searched as exact words.
 */
async function* levels(
  sources: Sources,
  { filters, textQuery, count }: SearchRequest,
  queryContext: QueryContext,
): AsyncGenerator<Level> {
  const { clickhouse } = sources;
  const shape = count > fullRowsMax ? slim : fullShape;
  const plain = marketCondition(filters, queryContext.nowUs);
  const all = (condition: Condition, after: Position | null = null, limit = count) =>
    markets(clickhouse, { ...shape, condition: allOf(condition, plain) }, { limit, queryContext, after });
  if (textQuery === null) {
    yield { score: 1, answers: await all(allOf()) };
    return;
  }
  const beginnings = await prefixMatchesOf(sources, textQuery, queryContext.signal);
  if (beginnings?.some(({ n }) => n === 0)) return;
  const words = byWords(textQuery);
  const prefixCondition = beginnings && byWordPrefixes(textQuery, beginnings);
  const areComplete = beginnings === undefined || beginnings.every((one) => one.isWord);
  const level = areComplete
    ? words && { score: 0.5, condition: words }
    : prefixCondition && { score: 0.25, condition: prefixCondition };
  // Incomplete words are no title.
  const title = areComplete ? byTitle(textQuery) : undefined;
  const titled = title ? [{ score: 0.625, condition: title }] : [];
  const scored = [{ score: 0.75, condition: byIdPrefix(textQuery) }, ...titled, ...(level ? [level] : [])];
  const conditions = scored.map(({ condition }) => allOf(condition, plain));
  const isLast = !areComplete || words === undefined || prefixCondition === undefined || beginnings?.every(isOnlyWord);
  const last = isLast ? undefined : allOf(prefixCondition, { ...words, sql: `NOT ${words.sql}` });
  // A query with many words rarely fills a page with exact matches, so the last level starts early.
  const early = last && textQuery.words.length >= narrowWordsMin ? all(last) : undefined;
  early?.catch(() => undefined);
  const found = await candidates(clickhouse, { ...shape, conditions, span: { countHint: count } }, queryContext);
  // If all ids with the prefix were read, the exact id is among them. Otherwise it may be behind the edge.
  const [begins] = found;
  const isSeen = begins?.edge === null;
  const exact = isSeen ? begins.matches : await all(byExactId(textQuery));
  yield { score: 1, answers: exact.filter(({ position }) => lowerOf(position.id) === textQuery.id) };
  for (const [index, { score, condition }] of scored.entries()) {
    const { matches = [], edge = null } = found[index] ?? {};
    const isShort = edge !== null && matches.length < count;
    yield { score, answers: isShort ? [...matches, ...(await all(condition, edge, count - matches.length))] : matches };
  }
  if (last) yield { score: 0.25, answers: await (early ?? all(last)) };
}

/** Queries with this many words match few markets. */
const narrowWordsMin = 3;

const shownOf = (row: HitRow, nowUs: number): NonNullable<Ranked['display']> => ({
  title: row.title,
  category: row.category,
  series: row.series,
  event_ticker: row.event_ticker,
  status: statusOfMany({ markets_n: 1, known_n: row.known ? 1 : 0, close_key: row.close_key }, nowUs),
  close_ts: secondsOf(row.close_us),
});
