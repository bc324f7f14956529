/** Times from one query over all rows of a market, in integer microseconds. 0 means that no such row exists. */
export interface QuoteStats {
  /** The first row with a bid above 0 and an ask below 1. */
  readonly twoSidedUs: number;
  /** Up to the close: the last row with both sides, and the last whose mid is not yet up (0.98) or down (0.02). */
  readonly lastMidUs: number;
  readonly lastNotUpUs: number;
  readonly lastNotDownUs: number;
}

export interface UsefulRange {
  readonly startUs: number | null;
  readonly endUs: number | null;
  readonly reason: 'locked' | 'closed' | 'live';
}

/** The last row before the mid stayed at one end, or null if it does not stay there. */
export const lastOpenUs = ({ lastMidUs, lastNotUpUs, lastNotDownUs }: QuoteStats): number | null => {
  if (lastMidUs === 0) return null;
  if (lastNotUpUs < lastMidUs) return lastNotUpUs;
  return lastNotDownUs < lastMidUs ? lastNotDownUs : null;
};

/** The part worth studying: from the first two-sided quote until the outcome is locked, or else the end. */
export const usefulRangeOf = (
  stats: Pick<QuoteStats, 'twoSidedUs'>,
  end: { lockedUs: number | null; closeUs: number | null; lastUs: number | null; live: boolean },
): UsefulRange => {
  const startUs = stats.twoSidedUs === 0 ? null : stats.twoSidedUs;
  if (end.lockedUs !== null) return { startUs, endUs: Math.max(end.lockedUs, startUs ?? 0), reason: 'locked' };
  if (end.live) return { startUs, endUs: end.lastUs, reason: 'live' };
  return { startUs, endUs: end.closeUs ?? end.lastUs, reason: 'closed' };
};
