import type { MarketContext } from '../market-context.js';

/** The part of a preview that depends only on stored rows, and what it was made from. */
export interface PreparedPreview {
  readonly ticker: string;
  /** The market's data version at the start of the preparation. The rows are of this version or newer. */
  readonly version: number;
  /** Everything that the bytes depend on except the time: previews with the same `from` show the same rows. */
  readonly from: string;
  /** Milliseconds since the epoch, taken before the first read. The preview has all rows stored by then. */
  readonly madeMs: number;
  readonly body: Buffer;
}

/** Includes the market's times, because the states of the market and of its data arrive independently. */
export const sourceKeyOf = ({ version, times: { live, openUs, closeUs } }: MarketContext): string =>
  [version, live ? 'live' : 'over', openUs ?? '', closeUs ?? ''].join(' ');

/** `current` is served. `behind` is served while the next one is prepared. `useless` is not served. */
export type Freshness = 'current' | 'behind' | 'useless';

/** A live market's window ends now, so its preview is prepared again after this even without new rows. */
export const windowMsMax = 30_000;

/**
 * For a market that is over, only a preview of exactly its data is current. A live market can change every second, so a
 * preview that is at most `behindMsMax` old is served too: otherwise readers might never get one.
 */
export const freshnessOf = (
  preview: Pick<PreparedPreview, 'from' | 'madeMs'>,
  market: MarketContext,
  { nowMs, behindMsMax }: { nowMs: number; behindMsMax: number },
): Freshness => {
  const same = preview.from === sourceKeyOf(market);
  if (!market.times.live) return same ? 'current' : 'useless';
  // The clock may be set back. The preview must still age.
  const ageMs = Math.abs(nowMs - preview.madeMs);
  if (same) return ageMs <= windowMsMax ? 'current' : 'behind';
  return ageMs <= behindMsMax ? 'behind' : 'useless';
};

/** True if `one` has at least the version of `other` and was made later. */
export const isNewer = (one: PreparedPreview, other: Pick<PreparedPreview, 'version' | 'madeMs'>): boolean =>
  one.version >= other.version && one.madeMs > other.madeMs;
