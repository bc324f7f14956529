import type { EventItem } from '@almanac/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { archiveAt } from '../../api/client.js';
import { useEventsOf, useMarkets } from '../../api/lists.js';
import { count } from '../../format/numbers.js';
import { minuteOf } from '../../format/time.js';
import { Page } from '../../layout/page.js';
import { Choice, statusOptions, TextFilter } from '../../parts/filter-bar.js';
import { Link, paths } from '../../parts/link.js';
import { MarketTable } from '../../parts/market-table.js';
import { Status } from '../../parts/status.js';
import { useAddressId } from '../../parts/use-address-id.js';
import { isFiltered, useFilters } from '../../parts/use-filters.js';
import { WatchButton } from '../../parts/watch-button.js';
import { type Column, VirtualTable } from '../../parts/virtual-table.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { NoRows } from '../../states/no-rows.js';
import { Result } from '../../states/result.js';

/** A series: its events, or its markets if it is rolling. */
export const Screen = (): ReactNode => {
  const id = useAddressId();
  const as_of = useAsOf();
  const query = useQuery({
    queryKey: ['series-head', as_of, id],
    queryFn: ({ signal }) => archiveAt(as_of).series.get(id, { limit: 1 }, { signal }),
  });
  const label = query.data?.series.label ?? id;
  return (
    <Page
      title={label}
      actions={
        <>
          {query.data === undefined ? null : <WatchButton kind="series" id={id} title={label} />}
          <Link to={paths.coverageOfSeries(id)} className="button">
            Coverage by day
          </Link>
        </>
      }
      heading={
        <div className="titles">
          <p className="crumbs">
            <Link to="/browse">Browse</Link> <span aria-hidden="true">/</span> <code>{id}</code>
          </p>
          <h1 dir="auto">{label}</h1>
        </div>
      }
    >
      <Result query={query} what="the series">
        {({ events = [] }) => <Lists series={id} hasEvents={events.length > 0} />}
      </Result>
    </Page>
  );
};

const Lists = ({ series, hasEvents }: { readonly series: string; readonly hasEvents: boolean }): ReactNode => {
  const [filters, setFilter] = useFilters(['q', 'status', 'show']);
  const setWords = useCallback((value: string) => setFilter('q', value), [setFilter]);
  const shown = filters.show ?? (hasEvents ? 'events' : 'markets');
  const { q, status } = filters;
  const words = { ...(q === undefined ? {} : { q }), ...(status === undefined ? {} : { status }) };
  return (
    <>
      <div className="filters">
        {hasEvents ? (
          <div className="segments" role="group" aria-label="Show">
            {(['events', 'markets'] as const).map((name) => (
              <button key={name} type="button" aria-pressed={shown === name} onClick={() => setFilter('show', name)}>
                {name === 'events' ? 'Events' : 'Markets'}
              </button>
            ))}
          </div>
        ) : null}
        <TextFilter label="Words of the title" value={q ?? ''} onChange={setWords} />
        <Choice
          label="Status"
          value={status ?? ''}
          options={statusOptions}
          onChange={(value) => setFilter('status', value)}
        />
      </div>
      {shown === 'events' ? <Events series={series} filters={words} /> : <MarketsOf series={series} filters={words} />}
    </>
  );
};

interface ListProps {
  readonly series: string;
  readonly filters: { readonly q?: string; readonly status?: string };
}

const MarketsOf = ({ series, filters }: ListProps): ReactNode => {
  const asOf = useAsOf();
  const list = useMarkets({ ...filters, series });
  return (
    <MarketTable
      label="Markets of the series, newest close first"
      list={list}
      asOf={asOf}
      isFiltered={isFiltered(filters)}
    />
  );
};

const columns: readonly Column<EventItem>[] = [
  {
    name: 'title',
    title: 'Event',
    cell: ({ event_ticker, title }) => (
      <Link to={paths.event(event_ticker)} className="titled">
        <span className="title" dir="auto" title={title ?? event_ticker}>
          {title ?? event_ticker}
        </span>
        <code className="ticker">{event_ticker}</code>
      </Link>
    ),
  },
  { name: 'status', title: 'Status', cell: ({ status }) => <Status status={status} /> },
  { name: 'markets', title: 'Markets', isNumber: true, cell: ({ markets_n }) => count(markets_n) },
  { name: 'close', title: 'Close', isNumber: true, cell: ({ close_ts }) => minuteOf(close_ts) },
];

const Events = ({ series, filters }: ListProps): ReactNode => {
  const list = useEventsOf(series, filters);
  if (list.rows === undefined) {
    return list.error === null ? <Loading what="the events" /> : <Failure error={list.error} onRetry={list.refetch} />;
  }
  if (list.rows.length === 0) return <NoRows what="event" isFiltered={isFiltered(filters)} />;
  return (
    <VirtualTable
      label="Events of the series"
      kind="events"
      rows={list.rows}
      columns={columns}
      keyOf={({ event_ticker }) => event_ticker}
      hasMore={list.hasMore}
      error={list.error}
      loadMore={list.loadMore}
    />
  );
};
