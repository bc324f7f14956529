import type { CatalogueFact, SpanBasis } from '@almanac/contracts';
import type { VenueTop } from '../model/feed-message.js';
import type { BookRow } from '../model/book-row.js';

/** A time in which a market's book is certain. Between two spans the market has a gap. */
export interface BookSpan {
  readonly ticker: string;
  readonly startUs: number;
  readonly endUs: number;
  /** Why the book is uncertain after `endUs`. Null while the span continues. */
  readonly endReason: string | null;
  /** Why it is held to be complete. */
  readonly basis: SpanBasis;
}

/** The results of a feed. These calls must not throw or block. */
export interface RebuildSink {
  /** The rows of one market come in time order. */
  row(ticker: string, row: BookRow): void;
  /** Called when a span begins, and with the same start when it grows and when it ends. */
  span(span: BookSpan): void;
  fact(fact: CatalogueFact): void;
  /** What a feed says about a market of which it may have no book. */
  changed?(fact: CatalogueFact): void;
  /** A message that was not used. `reason` is one of a few. `rows`: how many rows it stands for. */
  refused(reason: string, text: string, rows?: number): void;
  /** What a reader should know, one of a few. Nothing is left out for it. */
  warned?(reason: string): void;
  /** The venue's own top of book, and ours at that moment, null while the book is uncertain. */
  top?(top: VenueTop, ours: { readonly bid: number | null; readonly ask: number | null } | null): void;
}
