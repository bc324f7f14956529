import type { ExportListItem } from '@almanac/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { useAsOf } from '../../api/as-of.js';
import { almanac } from '../../api/client.js';
import { bytes, count } from '../../format/numbers.js';
import { minuteOf } from '../../format/time.js';
import { Page } from '../../layout/page.js';
import { Table } from '../../parts/table.js';
import { Link } from '../../parts/link.js';
import { Empty } from '../../states/empty.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { StatusTag } from './status-tag.js';
import { targetOf } from './target.js';

const statuses = ['pending', 'ready', 'failed', 'cancelled'] as const;
type Status = (typeof statuses)[number];
const statusIn = (text: string | null): Status | undefined => statuses.find((status) => status === text);
const pollMs = 3_000;

/** The exports of the account, newest first. The filters are in the address. */
export const ExportList = (): ReactNode => {
  const asOf = useAsOf();
  const [params, setParams] = useSearchParams();
  const status = statusIn(params.get('status'));
  const group = params.get('group') ?? undefined;
  const list = useInfiniteQuery({
    queryKey: ['exports', 'list', { status, group, asOf }],
    queryFn: ({ pageParam, signal }) =>
      almanac.exports.list({ status, group, cursor: pageParam, limit: 50, as_of: asOf }, { signal }).firstPage(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.exports.some((one) => one.status === 'pending')) === true ? pollMs : false,
  });
  const filter = (name: string, value: string): void =>
    setParams((before) => {
      if (value === '') before.delete(name);
      else before.set(name, value);
      return before;
    });
  const create = (
    <Link to="/exports/new" className="button primary">
      New export
    </Link>
  );
  const all = list.data?.pages.flatMap((page) => page.exports) ?? [];
  return (
    <Page title="Exports" actions={create}>
      <div className="row-form">
        <label htmlFor="export-status">Status</label>
        <select id="export-status" value={status ?? ''} onChange={({ target }) => filter('status', target.value)}>
          <option value="">all</option>
          {statuses.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        {group === undefined ? null : (
          <button type="button" onClick={() => filter('group', '')}>
            Group {group} ×
          </button>
        )}
      </div>
      {list.isPending ? <Loading what="the exports" /> : null}
      {list.isError ? <Failure error={list.error} onRetry={() => list.refetch()} /> : null}
      {list.isSuccess && all.length === 0 ? (
        <NoExports isFiltered={status !== undefined || group !== undefined} />
      ) : null}
      {all.length === 0 ? null : <ExportTable exports={all} />}
      {list.hasNextPage ? (
        <button type="button" onClick={() => void list.fetchNextPage()} disabled={list.isFetchingNextPage}>
          Show older exports
        </button>
      ) : null}
    </Page>
  );
};

const NoExports = ({ isFiltered }: { readonly isFiltered: boolean }): ReactNode =>
  isFiltered ? (
    <Empty title="No export is like that">Choose another status.</Empty>
  ) : (
    <Empty title="No exports yet">
      An export is a file of markets with its hash and a citation. <Link to="/exports/new">Make the first one</Link>:
      you see its size and price before anything is bought.
    </Empty>
  );

const ExportTable = ({ exports }: { readonly exports: readonly ExportListItem[] }): ReactNode => (
  <Table label="All exports" columns={['Export', 'Status', 'Streams', 'Format', '#Rows', '#Size', 'Created']}>
    {exports.map((one) => (
      <tr key={one.id} data-export={one.id}>
        <td>
          <Link to={`/exports/${one.id}`}>{targetOf(one)}</Link>
          {one.error === null ? null : <div className="hint">{one.error}</div>}
        </td>
        <td>
          <StatusTag status={one.status} />
        </td>
        <td>{one.streams.join(', ')}</td>
        <td>{one.format}</td>
        <td className="number">{count(one.row_count)}</td>
        <td className="number">{one.status === 'ready' ? bytes(one.bytes) : '–'}</td>
        <td>{minuteOf(one.created_ts)}</td>
      </tr>
    ))}
  </Table>
);
