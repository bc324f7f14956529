import { useQuery } from '@tanstack/react-query';
import { useAsOf } from '../api/as-of.js';
import { archiveAt } from '../api/client.js';

/** All categories, with what each has. */
export const useCategories = () => {
  const asOf = useAsOf();
  return useQuery({
    queryKey: ['categories', asOf],
    queryFn: ({ signal }) => archiveAt(asOf).categories.list({ signal }),
  });
};
