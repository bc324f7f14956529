import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { archiveAt } from '../../api/client.js';
import { useMarkets } from '../../api/lists.js';
import { Page } from '../../layout/page.js';
import { CopyAs } from '../../parts/copy-as.js';
import { Choice, statusOptions, TextFilter } from '../../parts/filter-bar.js';
import { MarketTable } from '../../parts/market-table.js';
import { isFiltered, useFilters } from '../../parts/use-filters.js';

/** Every market of the archive, newest close first. */
export const Screen = (): ReactNode => {
  const asOf = useAsOf();
  const [filters, setFilter] = useFilters(['q', 'status', 'category', 'series']);
  const list = useMarkets(filters);
  const { data } = useQuery({
    queryKey: ['categories', asOf],
    queryFn: ({ signal }) => archiveAt(asOf).categories.list({ signal }),
  });
  const categories = data?.categories.filter(({ markets_n }) => markets_n > 0) ?? [];
  const setWords = useCallback((value: string) => setFilter('q', value), [setFilter]);
  return (
    <Page
      title="Markets"
      actions={
        <CopyAs
          call={{
            resource: 'markets',
            method: 'list',
            args: [],
            params: { from_ts: 0, ...filters, as_of: asOf },
            path: '/markets',
          }}
        />
      }
    >
      <div className="filters">
        <TextFilter label="Words of the title" value={filters.q ?? ''} onChange={setWords} />
        <Choice
          label="Status"
          value={filters.status ?? ''}
          options={statusOptions}
          onChange={(value) => setFilter('status', value)}
        />
        <Choice
          label="Category"
          value={filters.category ?? ''}
          options={[
            { value: '', text: 'Any category' },
            ...categories.map(({ id, label }) => ({ value: id, text: label })),
          ]}
          onChange={(value) => setFilter('category', value)}
        />
        {filters.series === undefined ? null : (
          <button type="button" onClick={() => setFilter('series', '')}>
            Series {filters.series} <span aria-label="Remove">×</span>
          </button>
        )}
      </div>
      <MarketTable label="Markets, newest close first" list={list} asOf={asOf} isFiltered={isFiltered(filters)} />
    </Page>
  );
};
