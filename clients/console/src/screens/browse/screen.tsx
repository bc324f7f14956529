import { counted } from '@almanac/client';
import type { SeriesItem } from '@almanac/client';
import { type ReactNode, useCallback } from 'react';
import { useCategories } from '../../archive/categories.js';
import { useSeriesList } from '../../api/lists.js';
import { count } from '../../format/numbers.js';
import { minuteOf } from '../../format/time.js';
import { Page } from '../../layout/page.js';
import { Choice, statusOptions, TextFilter } from '../../parts/filter-bar.js';
import { Link, paths } from '../../parts/link.js';
import { Status } from '../../parts/status.js';
import { isFiltered, useFilters } from '../../parts/use-filters.js';
import { type Column, VirtualTable } from '../../parts/virtual-table.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { NoRows } from '../../states/no-rows.js';

/** Categories and series: where most people begin. */
export const Screen = (): ReactNode => {
  const [filters, setFilter] = useFilters(['category', 'q', 'status']);
  const setWords = useCallback((value: string) => setFilter('q', value), [setFilter]);
  const setCategory = useCallback((value: string) => setFilter('category', value), [setFilter]);
  return (
    <Page title="Browse the archive">
      <Categories chosen={filters.category ?? ''} onChoose={setCategory} />
      <div className="filters">
        <TextFilter label="Words of the series" value={filters.q ?? ''} onChange={setWords} />
        <Choice
          label="Status"
          value={filters.status ?? ''}
          options={statusOptions}
          onChange={(value) => setFilter('status', value)}
        />
      </div>
      <SeriesTable filters={filters} />
    </Page>
  );
};

interface CategoriesProps {
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

const Categories = ({ chosen, onChoose }: CategoriesProps): ReactNode => {
  const query = useCategories();
  if (query.error !== null) return <Failure error={query.error} onRetry={query.refetch} />;
  if (query.data === undefined) return <Loading what="the categories" rows={2} />;
  const all = query.data.categories.toSorted((one, other) => other.markets_n - one.markets_n);
  return (
    <fieldset className="categories">
      <legend className="visually-hidden">Category</legend>
      <CategoryButton label="All" isChosen={chosen === ''} onChoose={() => onChoose('')} />
      {all.map(({ id, label, markets_n, series_n }) => (
        <CategoryButton
          key={id}
          label={label}
          number={markets_n > 0 ? counted(markets_n, 'market') : `${count(series_n)} series`}
          isChosen={chosen === id}
          onChoose={() => onChoose(id)}
        />
      ))}
    </fieldset>
  );
};

interface CategoryButtonProps {
  readonly label: string;
  readonly number?: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

const CategoryButton = ({ label, number, isChosen, onChoose }: CategoryButtonProps): ReactNode => (
  <button type="button" className="chip" aria-pressed={isChosen} onClick={onChoose}>
    {label} {number === undefined ? null : <span className="chip-number">{number}</span>}
  </button>
);

const columns: readonly Column<SeriesItem>[] = [
  {
    name: 'title',
    title: 'Series',
    cell: ({ id, label }) => (
      <Link to={paths.series(id)} className="titled">
        <span className="title" dir="auto" title={label}>
          {label}
        </span>
        <code className="ticker">{id}</code>
      </Link>
    ),
  },
  { name: 'status', title: 'Status', cell: ({ status }) => <Status status={status} /> },
  { name: 'category', title: 'Category', cell: ({ category, category_label }) => category_label ?? category ?? '–' },
  { name: 'events', title: 'Events', isNumber: true, cell: ({ events_n }) => count(events_n) },
  { name: 'markets', title: 'Markets', isNumber: true, cell: ({ markets_n }) => count(markets_n) },
  {
    name: 'close',
    title: 'Next or last close',
    isNumber: true,
    cell: ({ next_close_ts, last_close_ts }) => minuteOf(next_close_ts ?? last_close_ts),
  },
];

const SeriesTable = ({ filters }: { readonly filters: Parameters<typeof useSeriesList>[0] }): ReactNode => {
  const list = useSeriesList(filters);
  if (list.rows === undefined) {
    return list.error === null ? <Loading what="the series" /> : <Failure error={list.error} onRetry={list.refetch} />;
  }
  if (list.rows.length === 0) {
    return <NoRows what="series" isFiltered={isFiltered(filters)} />;
  }
  return (
    <VirtualTable
      label="Series"
      kind="series"
      rows={list.rows}
      columns={columns}
      keyOf={({ id }) => id}
      hasMore={list.hasMore}
      error={list.error}
      loadMore={list.loadMore}
    />
  );
};
