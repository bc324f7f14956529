import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useLayoutEffect, useMemo, useRef } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { archiveAt } from '../../api/client.js';
import type { Level } from '../../charts/heatmap.js';
import { ladderOf, type Rung } from '../../charts/ladder.js';
import { rounded } from '../../charts/window.js';
import { decimal, digitsOf, fixed, price } from '../../format/numbers.js';
import { dateTime, duration } from '../../format/time.js';
import { CopyAs } from '../../parts/copy-as.js';
import { Result } from '../../states/result.js';
import { BooksNotIncluded } from './books-not-included.js';
import { callOf } from '../../archive/market-data.js';

/** The order book at the cursor of the charts, mirrored around its spread: asks above, bids below, all levels. */
export const BookPanel = ({ ticker, at }: { readonly ticker: string; readonly at: number | undefined }): ReactNode => {
  const asOf = useAsOf();
  const at_ts = at === undefined ? undefined : rounded(at);
  const params = { at_ts };
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
              {book.age_ms === null || book.age_ms === 0 ? null : (
                <span className="hint">{`observed ${duration(book.age_ms / 1_000)} before`}</span>
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
  const rungs = useMemo(() => ladderOf(yes, no), [yes, no]);
  const box = useSpreadInSight(rungs);
  if (rungs.length === 0) return <p className="hint pad">No order is known at this time.</p>;
  const asks = rungs.filter(({ side }) => side === 'ask');
  const bids = rungs.filter(({ side }) => side === 'bid');
  const scale = {
    prices: digitsOf(rungs.map((rung) => rung.price)),
    sizes: digitsOf(
      rungs.map(({ size }) => size),
      0,
    ),
    largest: rungs.reduce((most, { size }) => Math.max(most, size), 0),
    deepest: rungs.reduce((most, { depth }) => Math.max(most, depth), 0),
  };
  return (
    // A region that scrolls must take the focus, so that the keyboard can scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="ladder-scroll" ref={box} tabIndex={0} role="region" aria-label="Levels of the book">
      <table>
        <caption className="visually-hidden">Levels of the book on the yes side, highest price first</caption>
        <thead>
          <tr>
            {['Price', 'Size', 'Depth'].map((name) => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {asks.map((rung) => (
            <Level key={`ask ${rung.price}`} rung={rung} scale={scale} />
          ))}
        </tbody>
        <tbody>
          <Spread ask={asks.at(-1)} bid={bids[0]} digits={scale.prices} />
        </tbody>
        <tbody>
          {bids.map((rung) => (
            <Level key={`bid ${rung.price}`} rung={rung} scale={scale} />
          ))}
        </tbody>
      </table>
    </div>
  );
};

interface Scale {
  readonly prices: number;
  readonly sizes: number;
  readonly largest: number;
  readonly deepest: number;
}

/** The bar is the size of the level, and the area behind all of them the contracts up to each. */
const Level = ({ rung: { side, price: at, size, depth }, scale }: { readonly rung: Rung; readonly scale: Scale }) => (
  <tr data-side={side}>
    <td className="number">
      <span className="visually-hidden">{side} </span>
      {price(at, scale.prices)}
    </td>
    <td className="number sized">
      <span className="size-bar" style={{ width: `${(100 * size) / scale.largest}%` }} aria-hidden="true" />
      <span className="sized-text">{fixed(size, scale.sizes)}</span>
    </td>
    <td className="number sized">
      <span className="depth-bar" style={{ width: `${(100 * depth) / scale.deepest}%` }} aria-hidden="true" />
      <span className="sized-text">{fixed(depth, scale.sizes)}</span>
    </td>
  </tr>
);

interface SpreadProps {
  readonly ask: Rung | undefined;
  readonly bid: Rung | undefined;
  readonly digits: number;
}

const Spread = ({ ask, bid, digits }: SpreadProps): ReactNode => (
  <tr className="spread">
    <td colSpan={3}>
      {ask === undefined || bid === undefined
        ? `No ${ask === undefined ? 'asks' : 'bids'}`
        : `Spread ${decimal(Number((ask.price - bid.price).toFixed(digits)))}`}
    </td>
  </tr>
);

/** The spread is in the middle when a book is opened, and stays where the person has scrolled it to. */
const useSpreadInSight = (rungs: readonly Rung[]) => {
  const box = useRef<HTMLDivElement>(null);
  const top = useRef<number>(undefined);
  useLayoutEffect(() => {
    const spread = box.current?.querySelector<HTMLElement>('.spread');
    if (box.current === null || spread == null) return;
    const middle = spread.offsetTop - (box.current.clientHeight - spread.offsetHeight) / 2;
    // Relative to the spread, which moves when levels come and go.
    const offset = top.current === undefined ? 0 : box.current.scrollTop - top.current;
    box.current.scrollTop = middle;
    top.current = box.current.scrollTop;
    box.current.scrollTop = middle + offset;
  }, [rungs]);
  return box;
};
