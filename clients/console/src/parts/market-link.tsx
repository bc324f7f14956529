import type { Market } from '@almanac/client';
import { useQueryClient } from '@tanstack/react-query';
import type { PointerEvent, ReactNode } from 'react';
import { useAsOf } from '../api/as-of.js';
import { marketQuery, overviewQuery } from '../archive/market-data.js';
import { Link, paths } from './link.js';

interface MarketLinkProps extends Pick<Market, 'ticker' | 'title'> {
  /** What is shown of the title, where those around it say the rest. */
  readonly name?: string | undefined;
}

/** A market in a list. What its screen shows first is requested when the button of the mouse goes down: a click takes 0.1 s. */
export const MarketLink = ({ ticker, title, name = title ?? ticker }: MarketLinkProps): ReactNode => {
  const asOf = useAsOf();
  const client = useQueryClient();
  const begin = ({ button, pointerType }: PointerEvent): void => {
    // A touch can begin a scroll.
    if (button !== 0 || pointerType !== 'mouse') return;
    void client.prefetchQuery(overviewQuery(ticker, asOf));
    void client.prefetchQuery(marketQuery(ticker, asOf));
  };
  return (
    <Link to={paths.market(ticker)} className="titled" onPointerDown={begin}>
      <span className="title" dir="auto" title={title ?? ticker}>
        {name}
      </span>
      {title === null || title === ticker ? null : (
        <code className="ticker" title={ticker}>
          {ticker}
        </code>
      )}
    </Link>
  );
};
