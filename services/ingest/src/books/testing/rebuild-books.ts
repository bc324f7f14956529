import type { BookMessage } from '../feed-message.js';
import { type Gap, Rebuild } from '../rebuild.js';
import { type BookRow, everyChangeUs } from '../sampler.js';

/** The result of a rebuild, for tests. */
export interface Rebuilt {
  readonly rows: (BookRow & { readonly ticker: string })[];
  /** The last report of each gap, by ticker and start. */
  readonly gaps: Map<string, Gap>;
  readonly refused: Map<string, number>;
}

export const rebuilt = (messages: Iterable<BookMessage>, intervalUs = everyChangeUs): Rebuilt & { changes: number } => {
  const found: Rebuilt = { rows: [], gaps: new Map(), refused: new Map() };
  const books = new Rebuild(intervalUs, {
    row: (ticker, row) => void found.rows.push({ ticker, ...row }),
    gap: (gap) => void found.gaps.set(`${gap.ticker} ${gap.startUs}`, gap),
    fact: () => undefined,
    refused: (reason) => void found.refused.set(reason, (found.refused.get(reason) ?? 0) + 1),
  });
  for (const message of messages) books.take(message);
  books.finish();
  return { ...found, changes: books.counts.changes };
};
