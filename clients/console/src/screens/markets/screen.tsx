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

/** What a filter of the recording asks. Nothing states the completeness of some markets: only the third one has them. */
const recordings = [
  { value: '', text: 'Any recording', filter: {} },
  { value: 'gaps', text: 'With gaps', filter: { has_gaps: true } },
  { value: 'no-known-gap', text: 'Without a known gap', filter: { has_gaps: false } },
  { value: '99', text: 'Recorded for 99 % or more', filter: { covered_min: 0.99 } },
  { value: 'complete', text: 'Recorded completely', filter: { covered_min: 1 } },
] as const;

/** Every market of the archive, newest close first. */
export const Screen = (): ReactNode => {
  const asOf = useAsOf();
  const [{ recording, ...words }, setFilter] = useFilters(['q', 'status', 'category', 'series', 'recording']);
  const filters = { ...words, ...recordings.find(({ value }) => value === recording)?.filter };
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
        <Choice
          label="Recording"
          value={recording ?? ''}
          options={recordings}
          onChange={(value) => setFilter('recording', value)}
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
