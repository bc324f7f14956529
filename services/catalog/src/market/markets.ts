import type { ClickHouse } from '@almanac/clickhouse';
import { subjects } from '@almanac/bus';
import {
  type Market,
  marketFields,
  marketState,
  type MarketState,
  presentMarket,
  type SeriesState,
} from '@almanac/contracts';
import type { EventCache } from '../event/event-cache.js';
import type { QueryContext } from '../tables/read-rows.js';
import { type RankedRow, markets, marketsById } from '../tables/candidates.js';
import type { Condition } from '../tables/filters.js';
import type { Position } from '../tables/position.js';
import { emptyWhenUnknown } from '../tables/rows.js';
import type { SeriesText } from '../tables/series-text.js';
import type { SeriesWords } from '../tables/series-words.js';
import type { WordCache } from '../tables/word-cache.js';
import type { Vocabulary } from '../words/vocabulary.js';
import { z } from 'zod';

export interface CatalogueSources {
  readonly clickhouse: ClickHouse;
  /** Current states of the series by subject, and by their words. A market's shape is that of its series. */
  readonly series: { readonly states: ReadonlyMap<string, SeriesState>; readonly text: SeriesText };
  readonly words: Pick<WordCache, 'prefixMatchesOf' | 'current'>;
  readonly wordsBySeries: Pick<SeriesWords, 'mayHave' | 'mayHaveTogether'>;
  readonly vocabulary: Vocabulary;
  readonly events: Pick<EventCache, 'current'>;
  /** Of a series, or of all. Undefined until it is known, null without markets. */
  readonly figures: { readonly oldestCloseUs: (series: string | undefined) => number | null | undefined };
}

/** The columns of a market as `marketState` parses them: an unknown text is null, and a decimal is a text. */
export const marketColumns = [
  ...['capture', ...marketFields.texts].map((name) =>
    emptyWhenUnknown.has(name) ? `nullIf(${name}, '') AS ${name}` : name,
  ),
  ...marketFields.times,
  ...marketFields.decimals.map((name) => `toString(${name}) AS ${name}`),
].join(', ');

export const fullMarketRow = { columns: marketColumns, row: marketState };

export interface Page {
  readonly limit: number;
  readonly offset?: number;
  readonly after?: Position | null;
}

/** With more rows than this, skipped rows are read without all their columns. */
const fullRowsMax = 600;

/** Matching markets in listing order: `limit` of them after `offset`, or fewer at the end. */
export const selectMarkets = async (
  { clickhouse }: CatalogueSources,
  condition: Condition,
  { page, queryContext }: { page: Page; queryContext: QueryContext },
): Promise<RankedRow<MarketState>[]> => {
  const { limit, offset = 0, after = null } = page;
  const span = { limit: offset + limit, queryContext, after };
  if (span.limit <= fullRowsMax)
    return (await markets(clickhouse, { ...fullMarketRow, condition }, span)).slice(offset);
  const all = await markets(clickhouse, { columns: 'known', row: z.unknown(), condition }, span);
  const chosen = all.slice(offset).map(({ position }) => position);
  const states = await marketsById(clickhouse, fullMarketRow, { tickers: chosen.map(({ id }) => id), queryContext });
  return chosen.flatMap((position) => {
    const row = states.get(position.id);
    return row === undefined ? [] : [{ position, row }];
  });
};

export const present = ({ series }: CatalogueSources, state: MarketState, nowUs: number): Market =>
  presentMarket(state, shapeOf(series.states, state), nowUs);

export const shapeOf = (series: ReadonlyMap<string, SeriesState>, state: MarketState): string | null =>
  state.series === null ? null : (series.get(subjects.series(state.series))?.shape ?? null);
