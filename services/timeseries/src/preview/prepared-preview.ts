import type { MarketContext } from '../market-context.js';

/** The part of a preview that depends on stored rows alone, and what it was made from. */
export interface PreparedPreview {
  readonly ticker: string;
  /** The market's data version when it was begun; its rows are those or newer ones. */
  readonly version: number;
  /** All that its bytes depend on beside the moment: two previews made from the same tell the same rows. */
  readonly from: string;
  /** Milliseconds since the epoch, taken before anything was read: it knows all that was stored by then. */
  readonly madeMs: number;
  readonly body: Buffer;
}

/** The times stand beside the version, since the states of a market and of its data arrive one after the other. */
export const sourceKeyOf = ({ version, times: { live, openUs, closeUs } }: MarketContext): string =>
  [version, live ? 'live' : 'over', openUs ?? '', closeUs ?? ''].join(' ');

/** `current` is served; `behind` is served while the next is made; `useless` is not served. */
export type Freshness = 'current' | 'behind' | 'useless';

/**
 * The window of a live market ends now, so its preview is made anew after this even when nothing was stored; it is only
 * a little short at its end, so it is served in the meantime.
 */
export const windowMsMax = 30_000;

/**
 * What a ready preview is worth now. Of a market that is over only the preview of its very data counts. A live one may
 * change every second: a preview that is at most `behindMsMax` old is better than none for ever.
 */
export const freshnessOf = (
  preview: Pick<PreparedPreview, 'from' | 'madeMs'>,
  market: MarketContext,
  { nowMs, behindMsMax }: { nowMs: number; behindMsMax: number },
): Freshness => {
  const same = preview.from === sourceKeyOf(market);
  if (!market.times.live) return same ? 'current' : 'useless';
  // A clock that was turned back must not make a preview young for ever.
  const ageMs = Math.abs(nowMs - preview.madeMs);
  if (same) return ageMs <= windowMsMax ? 'current' : 'behind';
  return ageMs <= behindMsMax ? 'behind' : 'useless';
};

/** Of two previews of one market, whether the first is to stay: what is behind in both is the older. */
export const isNewer = (one: PreparedPreview, other: Pick<PreparedPreview, 'version' | 'madeMs'>): boolean =>
  one.version >= other.version && one.madeMs > other.madeMs;
