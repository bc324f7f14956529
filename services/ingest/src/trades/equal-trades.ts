import { bytesDigest } from '../values/bytes-digest.js';
import type { Trade } from '../model/trade.js';

/** Trades of a file whose ids are remembered, twice. Equal trades further apart count as one. */
const trackedMax = 500_000;

/** The id of a trade whose source has none: what it states. */
export const contentIdOf = ({ venueUs, receivedUs, takerSide, price, size }: Trade): string =>
  `${venueUs ?? receivedUs ?? ''}-${takerSide ?? 'unknown'}-${price}-${size}`;

/**
 * Numbers equal trades of a file, because a source that lists one twice states two: the second one gets the id of the first
 * with `-2`. So a repeated import and another order of the rows give the same ids.
 */
export const equalTrades = (): ((trade: Trade) => Trade) => {
  let recent = new Map<number, number>();
  let earlier = new Map<number, number>();
  return (trade) => {
    const bytes = Buffer.from(`${trade.ticker} ${trade.id}`);
    const key = bytesDigest(bytes, 0, bytes.length);
    const number = (recent.get(key) ?? earlier.get(key) ?? 0) + 1;
    recent.set(key, number);
    if (recent.size >= trackedMax) {
      earlier = recent;
      recent = new Map();
    }
    return number === 1 ? trade : { ...trade, id: `${trade.id}-${number}` };
  };
};
