import type { ClickHouse } from '@almanac/clickhouse';
import { secondsOf } from '@almanac/contracts';
import { z } from 'zod';
import type { CatalogueSources } from '../market/markets.js';
import type { QueryContext } from '../tables/read-rows.js';
import { type RankedRow, marketsById, type Shape } from '../tables/candidates.js';
import { allOf, type Condition, marketCondition, statusOfMany } from '../tables/filters.js';
import {
  byAllTerms,
  byForms,
  byMarketId,
  byMarketIdPrefix,
  byPrefixes,
  type TermCondition,
} from '../tables/term-conditions.js';
import { byTitle, byWords, scores, type TextQuery } from '../tables/text-query.js';
import { type KnownTerms, knownTermsOf } from '../market/known-terms.js';
import { type MarketReader, marketReader } from '../market/market-reader.js';
import { type MatchLevel, parentMarkets, type ParentQuery } from '../market/parent-markets.js';
import type { Ranked, SearchRequest } from './ranking.js';

const text = z.string().transform((value) => (value === '' ? null : value));
export const hitColumns = 'title, category, series, event_ticker, known, close_us';
export const hitRow = z.object({
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

type Sources = Pick<CatalogueSources, 'clickhouse' | 'words' | 'wordsBySeries'>;

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

/** Reads markets of one search, with the columns that its hits need. */
const readerOf = ({ clickhouse }: Sources, { filters, count }: SearchRequest, queryContext: QueryContext): Reader => {
  const shape = count > fullRowsMax ? slim : fullShape;
  const condition = marketCondition(filters, queryContext.nowUs);
  return marketReader(clickhouse, { ...shape, condition, count }, queryContext);
};
type Reader = MarketReader<z.ZodType<HitRow | undefined>>;

/**
 * Searches in levels, as far as the caller reads: the id, prefixes of ids, titles, words, other forms of the words,
 * words together with the event and the series, and the last two with prefixes of words.
 */
async function* levels(sources: Sources, request: SearchRequest, queryContext: QueryContext): AsyncGenerator<Level> {
  const { textQuery } = request;
  const read = readerOf(sources, request, queryContext);
  if (textQuery === null) {
    yield { score: 1, answers: await read.all(allOf()) };
    return;
  }
  const known = await knownTermsOf(sources, { textQuery, category: request.filters.category }, queryContext);
  const more = stepsOf(read, { ...request, textQuery }, known, queryContext.nowUs);
  const { count } = request;
  const seen = new Set<string>();
  if (known.canMatchAll) {
    let isId = false;
    for await (const level of exactLevels(read, textQuery, known)) {
      yield level;
      for (const { position } of level.answers) seen.add(position.id);
      isId ||= level.score >= scores.idPrefix && level.answers.length > 0;
    }
    // The parts of an id have no other forms.
    if (isId && textQuery.words.length > 1 && !/\s/u.test(textQuery.id)) return;
  }
  // Exact matches did not fill the page.
  const isEarly = isNarrow(textQuery);
  const early = more.map(({ answers, isCheap }) => (isEarly && isCheap ? answers(count) : undefined));
  for (const one of early) one?.catch(() => undefined);
  for (const [index, { score, answers }] of more.entries()) {
    const found = await (early[index] ?? answers(count));
    const isRepeated = found.length >= count && found.some(({ position }) => seen.has(position.id));
    // Fewer than 'count' were seen, so twice as many have enough others.
    const level = { score, answers: isRepeated ? await answers(2 * count) : found };
    yield level;
    for (const { position } of level.answers) seen.add(position.id);
  }
}

const narrowWordsMin = 3;

/** Queries with many words, or with a number, rarely fill a page before the last step. Their steps start together. */
const isNarrow = ({ id, words }: TextQuery): boolean =>
  /\s/u.test(id) && (words.length >= narrowWordsMin || words.some((word) => /^\d{2,}$/u.test(word)));

async function* exactLevels(read: Reader, textQuery: TextQuery, known: KnownTerms): AsyncGenerator<Level> {
  // Incomplete words are no title.
  const [title, words] = known.areWords ? [byTitle(textQuery), byWords(textQuery)] : [];
  const scored = [
    ...(known.canBeWholeId ? [{ score: scores.id, condition: byMarketId(textQuery) }] : []),
    ...(known.canBeId ? [{ score: scores.idPrefix, condition: byMarketIdPrefix(textQuery, known.prefixMatches) }] : []),
    ...(title ? [{ score: scores.title, condition: title }] : []),
    ...(words ? [{ score: scores.words, condition: words }] : []),
  ];
  const found = await read.each(scored.map(({ condition }) => condition));
  for (const [index, { score }] of scored.entries()) yield { score, answers: (await found[index]?.answers()) ?? [] };
}

/** Markets of one score. They are read when the levels before do not fill the page. */
interface Step {
  readonly score: number;
  /** Whether the indexes of words and events leave few rows to read. */
  readonly isCheap: boolean;
  /** The first `limit`, or more. Some may be in a higher level. */
  readonly answers: (limit: number) => Promise<readonly RankedRow<HitRow | undefined>[]>;
}

type TextRequest = SearchRequest & { readonly textQuery: TextQuery };

const stepsOf = (read: Reader, request: TextRequest, known: KnownTerms, nowUs: number): Step[] => {
  const { textQuery, matches, filters } = request;
  const { terms } = textQuery;
  if (terms.length === 0 || matches === null) return [];
  const parentQuery = { ...matches, terms, filters, hasLooseMarkets: known.hasLooseMarkets };
  const ofParents = (level: MatchLevel, own: TermCondition, ownTermsOf: ParentQuery['ownTermsOf']): Step => ({
    score: level === 'forms' ? scores.parents : scores.parentPrefixes,
    isCheap: level === 'forms',
    answers: (limit) => read.ofParents(parentMarkets({ ...parentQuery, level, own, ownTermsOf }, nowUs), limit),
  });
  const ofMarkets = (score: number, condition: Condition): Step => ({
    score,
    isCheap: true,
    answers: (limit) => read.all(condition, limit),
  });
  const [exact, forms] = [byWords(textQuery), byAllTerms(terms, byForms)];
  const otherForms = allOf(forms, ...(exact && known.areWords ? [not(exact)] : []));
  const prefixes = byPrefixes(known.prefixMatches);
  const isComplete = terms.every(({ isKnown }) => isKnown);
  return [
    ...(known.hasOtherForms ? [ofMarkets(scores.forms, otherForms)] : []),
    ofParents('forms', byForms, known.formsOf),
    ...(known.hasPrefixes ? [ofMarkets(scores.prefixes, allOf(byAllTerms(terms, prefixes), not(forms)))] : []),
    // Complete words are no prefixes, and most searches have no others.
    ...(isComplete ? [] : [ofParents('prefixes', prefixes, known.prefixesOf)]),
  ];
};

const not = ({ sql, params }: Condition): Condition => ({ sql: `NOT ${sql}`, params });

export const shownOf = (row: HitRow, nowUs: number): NonNullable<Ranked['display']> => ({
  title: row.title,
  category: row.category,
  series: row.series,
  event_ticker: row.event_ticker,
  status: statusOfMany({ markets_n: 1, known_n: row.known ? 1 : 0, close_key: row.close_key }, nowUs),
  close_ts: secondsOf(row.close_us),
});
