import type { MarketQuality } from '@almanac/client';
import type { ReactNode } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { archiveAt } from '../../api/client.js';
import { usePages } from '../../api/use-pages.js';
import { count, percent } from '../../format/numbers.js';
import { clockOf, duration } from '../../format/time.js';
import { MarketLink } from '../../parts/market-link.js';
import { Table } from '../../parts/table.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { Empty } from '../../states/empty.js';
import type { QualityTarget } from './target.js';

interface DayMarketsProps {
  readonly target: QualityTarget;
  readonly day: string;
}

const rowsPerPage = 100;
const columns = ['Market', '#Recorded', '#Gaps', '#Missing', 'Gaps (UTC)', '#Observations', 'Books'];

/** The markets of a day, the worst first, with their gaps. */
export const DayMarkets = ({ target, day }: DayMarketsProps): ReactNode => {
  const as_of = useAsOf();
  const key = ['quality-day', as_of, target, day];
  const list = usePages<MarketQuality, string>(key, async (cursor, signal) => {
    const params = { [target.kind]: target.id, from: day, to: day, cursor, limit: rowsPerPage };
    const { markets, next_cursor } = await archiveAt(as_of).quality(params, { signal }).firstPage();
    return { items: markets, next: next_cursor ?? undefined };
  });
  const { rows, error, refetch, hasMore, loadMore } = list;
  return (
    <section className="quality-day" aria-label={`Markets of ${day}`}>
      <h2>Markets of {day}, the worst first</h2>
      {rows === undefined ? (
        error === null ? (
          <Loading what={`the markets of ${day}`} />
        ) : (
          <Failure error={error} onRetry={refetch} />
        )
      ) : rows.length === 0 ? (
        <Empty title="No market was open on this day">Choose another day above.</Empty>
      ) : (
        <>
          <Table label={`Markets of ${day}, the worst first`} columns={columns}>
            {rows.map((row) => (
              <MarketRow key={row.ticker} market={row} />
            ))}
          </Table>
          {error === null ? null : <Failure error={error} onRetry={loadMore} />}
          {hasMore && error === null ? (
            <button type="button" onClick={loadMore}>
              Show more markets
            </button>
          ) : null}
        </>
      )}
    </section>
  );
};

const MarketRow = ({ market }: { readonly market: MarketQuality }): ReactNode => {
  const { ticker, title, covered_share, gaps_n, gap_s, rows, books, book_quality } = market;
  return (
    <tr>
      <td className="quality-market">
        <MarketLink ticker={ticker} title={title} />
      </td>
      <td className="number">{covered_share === null ? 'not stated' : percent(covered_share)}</td>
      <td className="number">{count(gaps_n)}</td>
      <td className="number">{gap_s === 0 ? '–' : duration(gap_s)}</td>
      <td>
        <Gaps market={market} />
      </td>
      <td className="number">{count(rows)}</td>
      <td className="quality-books">{book_quality === null ? '–' : `${count(books)}, ${book_quality}`}</td>
    </tr>
  );
};

const shownMax = 3;

/** The first gaps. The screen of the market has all of them. */
const Gaps = ({ market: { gaps, gaps_n } }: { readonly market: MarketQuality }): ReactNode => {
  if (gaps.length === 0) return '–';
  return (
    <ul className="quality-gaps">
      {gaps.slice(0, shownMax).map(({ start_ts, end_ts, reason, missing }) => (
        <li key={`${start_ts} ${missing}`}>
          {clockOf(start_ts)} to {end_ts === null ? 'now' : clockOf(end_ts)}: {reason}
          {missing === 'books' ? ' (only order books)' : ''}
        </li>
      ))}
      {gaps_n > shownMax ? <li>and {count(gaps_n - shownMax)} more</li> : null}
    </ul>
  );
};
