import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { replaceSearch } from '../../api/search-of-address.js';

/** The markets that somebody chose to draw, in the address. Undefined: those that the chart chooses. */
export const useDrawn = (): [readonly string[] | undefined, (tickers: readonly string[]) => void] => {
  const [params] = useSearchParams();
  const text = params.getAll('draw').join('\n');
  const isGiven = params.has('draw');
  const chosen = useMemo(
    () => (isGiven ? text.split('\n').filter((ticker) => ticker !== '') : undefined),
    [isGiven, text],
  );
  const choose = useCallback((tickers: readonly string[]) => {
    const next = new URLSearchParams(location.search);
    next.delete('draw');
    for (const ticker of tickers.length === 0 ? [''] : tickers) next.append('draw', ticker);
    replaceSearch(next);
  }, []);
  return [chosen, choose];
};
