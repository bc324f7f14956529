import type { SearchHit } from '@almanac/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAsOf } from '../api/as-of.js';
import { archiveAt } from '../api/client.js';

const pauseMs = 120;

export interface Found<Row> {
  readonly hits: readonly Row[];
  readonly error: Error | null;
  readonly isPending: boolean;
}

interface HitOptions {
  readonly limit: number;
  /** Also without words: what is live or closed last. */
  readonly browses?: boolean;
}

/** What the search finds while a text is typed. The hits of the text before stay until the next ones are there. */
export const useHits = (text: string, { limit, browses = false }: HitOptions): Found<SearchHit> => {
  const as_of = useAsOf();
  const [q, setQuery] = useState(text.trim());
  useEffect(() => {
    const timer = setTimeout(() => setQuery(text.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const isSearched = browses || q !== '';
  const { data, error, isFetching } = useQuery({
    queryKey: ['search', as_of, q, limit],
    queryFn: ({ signal }) => archiveAt(as_of).search(q, { limit }, { signal }).firstPage(),
    enabled: isSearched,
    placeholderData: (before) => before,
  });
  return { hits: isSearched ? (data?.hits ?? []) : [], error, isPending: isFetching || q !== text.trim() };
};
