import type { BookMarket } from './book-market.js';
import type { BookSnapshot } from '../model/feed-message.js';
import type { Change } from './rebuild-rules.js';
import type { RebuildCounts } from '../intake/report.js';

export const noCounts = (): RebuildCounts => ({ snapshots: 0, changes: 0, uncertainChanges: 0, gaps: 0, verified: 0 });

export const changesIn = (message: Change): number => (message.kind === 'edits' ? message.edits.length : 1);

export const countSnapshot = (counts: RebuildCounts, { isVerified }: BookSnapshot): void => {
  counts.snapshots += 1;
  if (isVerified === true) counts.verified += 1;
};

/** A book that has the venue's hash is the whole book of the venue, so nothing was missed before. */
export const countChange = (counts: RebuildCounts, market: BookMarket, message: Change): void => {
  counts.changes += changesIn(message);
  if (message.kind !== 'level' || message.isOf?.(market.book) !== true) return;
  counts.verified += 1;
  market.basis = 'snapshot';
};
