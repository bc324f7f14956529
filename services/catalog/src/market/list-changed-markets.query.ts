import { laterPosition, type StreamPosition } from '@almanac/bus';
import { boundOf, decodeCursor, encodeCursor, listingOf } from '@almanac/contracts';
import { z } from 'zod';
import type { ChangeLog } from '../tables/change-log.js';
import { changedMarkets } from '../tables/changed-markets.js';
import type { MarketSelection } from '../tables/candidates.js';
import { allOf, marketCondition } from '../tables/filters.js';
import { pageOf } from '../tables/pages.js';
import type { QueryContext } from '../tables/read-rows.js';
import { type ListMarketsInput, type MarketList, selectionOf } from './list-markets.query.js';
import { type CatalogueSources, fullMarketRow, present } from './markets.js';
import { matchingMarkets } from './matching-markets.js';

export interface ChangedMarketsDeps {
  readonly sources: CatalogueSources;
  readonly changeLog: ChangeLog;
}

/** Everything up to this sequence was listed, in each partition of the stream. */
const positionOf = (partitions: number) => z.array(z.int().min(0)).length(partitions);

export const isOfChanges = ({ changed_since_ts: since }: ListMarketsInput): boolean =>
  since !== null && since !== undefined;

/**
 * GET /markets?changed_since_ts=: markets by their last change, the earliest first in each partition. Only changes up to which the tables are
 * complete are listed, so a cursor never passes over one that becomes readable later. A cursor has no end: the changes
 * after the last page follow it. Throws `invalid_window` and `invalid_cursor`.
 */
export const listChangedMarkets = async (
  { sources, changeLog }: ChangedMarketsDeps,
  input: ListMarketsInput,
  queryContext: QueryContext,
): Promise<MarketList> => {
  const { limit, cursor, days: _days, has_gaps: _gaps, covered_min: _covered, ...filters } = input;
  const sinceUs = boundOf('changed_since_ts', input.changed_since_ts) ?? 0;
  const listing = listingOf('changed markets', filters);
  const readable = await changeLog.readableUpTo();
  const position = positionOf(readable.length);
  const listedUpTo = decodeCursor(cursor, { listing, position }) ?? (await changeLog.positionBefore(sinceUs));
  const upTo = laterPosition(listedUpTo, readable);
  const selection = selectionOf(input, sources);
  const markets = selection && {
    ...fullMarketRow,
    condition: allOf(
      ...(selection.ofParent ? [selection.ofParent] : []),
      marketCondition(selection.filters, queryContext.nowUs),
      await matchingMarkets(sources, selection.textQuery, queryContext),
    ),
  };
  const { items, next, hasMore } =
    markets === undefined
      ? { items: [], next: upTo, hasMore: false }
      : await changesOf(sources, markets, { listedUpTo, upTo, limit, queryContext });
  return {
    count: items.length,
    markets: items.map(({ row }) => present(sources, row, queryContext.nowUs)),
    has_more: hasMore,
    next_cursor: encodeCursor(listing, [...next]),
    from_ts: input.from_ts ?? null,
    to_ts: input.to_ts ?? null,
    defaulted: false,
    has_older: false,
  };
};

type ListedMarket = Parameters<typeof present>[1];

interface ChangesPage {
  readonly items: readonly { readonly row: ListedMarket }[];
  readonly next: StreamPosition;
  readonly hasMore: boolean;
}

/** One page of changes, from the partition with most of them first, so that none is left behind for ever. */
const changesOf = async (
  { clickhouse }: CatalogueSources,
  markets: MarketSelection<(typeof fullMarketRow)['row']>,
  {
    listedUpTo,
    upTo,
    limit,
    queryContext,
  }: { listedUpTo: StreamPosition; upTo: StreamPosition; limit: number; queryContext: QueryContext },
): Promise<ChangesPage> => {
  const next = [...listedUpTo];
  const left = (partition: number): number => (upTo[partition] ?? 0) - (next[partition] ?? 0);
  const items: { readonly row: ListedMarket }[] = [];
  let isCut = false;
  const order = [...next.keys()].filter((partition) => left(partition) > 0).toSorted((a, b) => left(b) - left(a));
  for (const partition of order) {
    if (items.length === limit) break;
    const missing = limit - items.length;
    const after = next[partition] ?? 0;
    const span = { partition, after, upTo, limit: missing + 1, queryContext };
    const found = await changedMarkets(clickhouse, markets, span);
    const page = pageOf(found.matches, missing);
    items.push(...page.items);
    if (!page.has_more) items.push(...found.early.slice(0, limit - items.length));
    isCut ||= page.has_more;
    next[partition] = page.has_more ? (page.items.at(-1)?.seq ?? after) : found.edge;
  }
  return { items, next, hasMore: isCut || next.some((_, partition) => left(partition) > 0) };
};
