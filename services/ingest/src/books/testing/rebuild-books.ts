import { everyChangeUs } from '@almanac/contracts';
import type { BookMessage } from '../../model/feed-message.js';
import { Rebuild } from '../rebuild.js';
import type { RebuildOptions } from '../rebuild-options.js';
import type { BookSpan } from '../rebuild-sink.js';
import { bookRowTexts } from '../../model/book-row.js';

/** The result of a rebuild, for tests. */
export interface Rebuilt {
  readonly rows: (ReturnType<typeof bookRowTexts> & { readonly ticker: string })[];
  /** The last report of each span, by ticker and start. */
  readonly spans: Map<string, BookSpan>;
  readonly refused: Map<string, number>;
}

export const rebuilt = (messages: Iterable<BookMessage>, intervalUs = everyChangeUs, options: RebuildOptions = {}) => {
  const found: Rebuilt = { rows: [], spans: new Map(), refused: new Map() };
  const books = new Rebuild(
    intervalUs,
    {
      row: (ticker, row) => void found.rows.push({ ticker, ...bookRowTexts(row) }),
      span: (span) => void found.spans.set(`${span.ticker} ${span.startUs}`, span),
      fact: () => undefined,
      refused: (reason) => void found.refused.set(reason, (found.refused.get(reason) ?? 0) + 1),
    },
    options,
  );
  for (const message of messages) books.take(message);
  books.finish();
  return { ...found, changes: books.counts.changes, gapCount: books.counts.gaps };
};
