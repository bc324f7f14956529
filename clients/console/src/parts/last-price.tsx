import type { ReactNode } from 'react';
import { price } from '../format/numbers.js';
import { dateTime } from '../format/time.js';
import type { LastPrice as Known } from './last-prices.js';

interface LastPriceProps {
  readonly known: Known | undefined;
  readonly side: 'bid' | 'ask';
}

/** The last known price of a side. One of which a gap hides what came after it is grey, and says until when it is. */
export const LastPrice = ({ known, side }: LastPriceProps): ReactNode => {
  if (known?.untilTs === undefined) return price(known?.[side]);
  return (
    <span className="old" title={`Last known by ${dateTime(known.untilTs)}, before a gap`}>
      {price(known[side])}
    </span>
  );
};
