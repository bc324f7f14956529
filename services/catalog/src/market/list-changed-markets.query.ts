import { boundOf, decodeCursor, encodeCursor, listingOf } from '@almanac/contracts';
import { z } from 'zod';
import type { ChangeLog } from '../tables/change-log.js';
import { changedMarkets } from '../tables/changed-markets.js';
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

/** Everything up to this sequence was listed. */
const position = z.tuple([z.int().min(0)]);

export const isOfChanges = ({ changed_since_ts: since }: ListMarketsInput): boolean =>
  since !== null && since !== undefined;

/**
 * GET /markets?changed_since_ts=: markets by their last change, the earliest first. Only changes up to which the tables are
 * complete are listed, so a cursor never passes over one that becomes readable later. A cursor has no end: the changes
 * after the last page follow it. Throws `invalid_window` and `invalid_cursor`.
 */
export const listChangedMarkets = async (
  { sources, changeLog }: ChangedMarketsDeps,
  input: ListMarketsInput,
  queryContext: QueryContext,
): Promise<MarketList> => {
  const { limit, cursor, days: _days, ...filters } = input;
  const sinceUs = boundOf('changed_since_ts', input.changed_since_ts) ?? 0;
  const listing = listingOf('changed markets', filters);
  const [listedUpTo] = decodeCursor(cursor, { listing, position }) ?? [await changeLog.sequenceBefore(sinceUs)];
  const upTo = Math.max(listedUpTo, await changeLog.readableUpTo());
  const selection = selectionOf(input, sources);
  const found =
    selection === undefined
      ? { matches: [], edge: upTo }
      : await changedMarkets(
          sources.clickhouse,
          {
            ...fullMarketRow,
            condition: allOf(
              ...(selection.ofParent ? [selection.ofParent] : []),
              marketCondition(selection.filters, queryContext.nowUs),
              await matchingMarkets(sources, selection.textQuery, queryContext),
            ),
          },
          { after: listedUpTo, upTo, limit: limit + 1, queryContext },
        );
  const { items, has_more: isCut } = pageOf(found.matches, limit);
  const next = isCut ? (items.at(-1)?.seq ?? listedUpTo) : found.edge;
  return {
    count: items.length,
    markets: items.map(({ row }) => present(sources, row, queryContext.nowUs)),
    has_more: isCut || found.edge < upTo,
    next_cursor: encodeCursor(listing, [next]),
    from_ts: input.from_ts ?? null,
    to_ts: input.to_ts ?? null,
    defaulted: false,
    has_older: false,
  };
};
