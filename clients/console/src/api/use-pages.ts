import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';

export interface PageOf<Item, Position> {
  readonly items: readonly Item[];
  readonly next: Position | undefined;
}

export interface PagedRows<Item> {
  /** Undefined until the first page is there. */
  readonly rows: readonly Item[] | undefined;
  /** The items as they came, for what is read once for each page. */
  readonly pages: readonly (readonly Item[])[];
  readonly hasMore: boolean;
  readonly error: Error | null;
  readonly refetch: () => unknown;
  readonly loadMore: () => unknown;
}

export interface StartsOf<Position> {
  /** Where each page begins. Undefined: with the first item. */
  readonly starts: readonly (Position | undefined)[];
}

type ReadPage<Item, Position> = (at: Position | undefined, signal: AbortSignal) => Promise<PageOf<Item, Position>>;

const noStarts = [] as const;

/** A list that is read page by page while it is scrolled. */
export const usePages = <Item, Position>(
  key: QueryKey,
  read: ReadPage<Item, Position>,
  isWanted = true,
): PagedRows<Item> & StartsOf<Position> => {
  const query = useInfiniteQuery<
    PageOf<Item, Position>,
    Error,
    InfiniteData<PageOf<Item, Position>>,
    QueryKey,
    Position | undefined
  >({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam as Position | undefined, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next,
    enabled: isWanted,
  });
  const { data, fetchNextPage, isFetching, hasNextPage, error, refetch } = query;
  const pages = useMemo(() => data?.pages.map(({ items }) => items) ?? [], [data]);
  const starts = (data?.pageParams as readonly (Position | undefined)[] | undefined) ?? noStarts;
  const rows = useMemo(() => (data === undefined ? undefined : pages.flat()), [data, pages]);
  const loadMore = useCallback(() => {
    if (!isFetching) void fetchNextPage();
  }, [fetchNextPage, isFetching]);
  return { rows, pages, starts, hasMore: hasNextPage, error, refetch, loadMore };
};
