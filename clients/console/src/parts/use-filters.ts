import { useCallback } from 'react';
import { useSearchParams } from 'wouter';
import { replaceSearch } from '../api/search-of-address.js';

/** Whether any filter is set. */
export const isFiltered = (filters: object): boolean => Object.keys(filters).length > 0;

/** Filters of a list, which are in the address: a link shows others the same list. */
export const useFilters = <Name extends string>(
  names: readonly Name[],
): [Readonly<Partial<Record<Name, string>>>, (name: Name, value: string) => void] => {
  const [params] = useSearchParams();
  const filters = Object.fromEntries(
    names.flatMap((name) => {
      const value = params.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  ) as Partial<Record<Name, string>>;
  const set = useCallback((name: Name, value: string) => {
    const next = new URLSearchParams(location.search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    replaceSearch(next);
  }, []);
  return [filters, set];
};
