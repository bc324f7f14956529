import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { archiveAt } from '../../api/client.js';
import type { Level } from '../../charts/heatmap.js';
import { ladderOf } from '../../charts/ladder.js';
import { rounded } from '../../charts/window.js';
import { decimal, digitsOf, price } from '../../format/numbers.js';
import { clockOf, dateTime, duration } from '../../format/time.js';
import { CopyAs } from '../../parts/copy-as.js';
import { Result } from '../../states/result.js';
import { BooksNotIncluded } from './books-not-included.js';
import { callOf } from './market-data.js';

const levels = 10;

/** The order book at the cursor: asks above, bids below, with the contracts up to each level. */
export const BookLadder = ({ ticker, at }: { readonly ticker: string; readonly at: number | undefined }): ReactNode => {
  const asOf = useAsOf();
  const at_ts = at === undefined ? undefined : rounded(at);
  const params = { at_ts, depth: levels };
  const query = useQuery({
    queryKey: ['book', asOf, ticker, at_ts],
    queryFn: ({ signal }) => archiveAt(asOf).markets.book(ticker, params, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <section className="card ladder" aria-label="Order book" data-book-ts={query.data?.at_ts}>
      <header>
        <h2>Book</h2>
        <CopyAs call={callOf(ticker, 'book', { ...params, as_of: asOf })} />
      </header>
      <Result query={query} what="the order book">
        {(book) => (
          <>
            <p className="ladder-time">
              <time>{dateTime(book.at_ts)}</time>
              {book.ts === null ? null : (
                <span className="hint">
                  Observed at {clockOf(book.ts)}
                  {book.age_ms === null ? '' : `, ${duration(book.age_ms / 1_000)} before`}
                </span>
              )}
              {book.in_gap ? (
                <span className="tag" data-tone="warn">
                  In a gap of the recording
                </span>
              ) : null}
            </p>
            {book.include_book ? (
              <Ladder yes={book.orderbook_yes ?? []} no={book.orderbook_no ?? []} />
            ) : (
              <BooksNotIncluded notice={book.notice} />
            )}
          </>
        )}
      </Result>
    </section>
  );
};

interface LadderProps {
  readonly yes: readonly Level[];
  readonly no: readonly Level[];
}

const Ladder = ({ yes, no }: LadderProps): ReactNode => {
  const rungs = ladderOf(yes, no, levels);
  if (rungs.length === 0) return <p className="hint pad">No order is known at this time.</p>;
  const digits = digitsOf(rungs.map((rung) => rung.price));
  const deepest = rungs.reduce((most, { depth }) => Math.max(most, depth), 0);
  return (
    <table>
      <caption className="visually-hidden">Levels of the book on the yes side, highest price first</caption>
      <thead>
        <tr>
          <th scope="col">Side</th>
          <th scope="col" className="number">
            Price
          </th>
          <th scope="col" className="number">
            Size
          </th>
          <th scope="col" className="number">
            Depth
          </th>
        </tr>
      </thead>
      <tbody>
        {rungs.map(({ side, price: at, size, depth }) => (
          <tr key={`${side} ${at}`} data-side={side}>
            <td>{side}</td>
            <td className="number">{price(at, digits)}</td>
            <td className="number">{decimal(size)}</td>
            <td className="number depth">
              <span className="depth-bar" style={{ width: `${(100 * depth) / deepest}%` }} aria-hidden="true" />
              <span className="depth-text">{decimal(depth)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
