import type { Numbering } from '../sources/source.js';
import type { RowCounts } from './repeated-rows.js';
import type { MarketOutcome } from './seen-markets.js';

export type Counts = Map<string, number>;

export const count = (counts: Counts, reason: string, by = 1): void => {
  counts.set(reason, (counts.get(reason) ?? 0) + by);
};

/** Facts by what the catalogue did with them. Their sum is the number of facts that were sent and answered. */
export type OutcomeCounts = Record<MarketOutcome | 'refused', number>;
export type EntityCounts = OutcomeCounts & { sent: number };

/** Messages of a recording of books. Their sum is the number of messages read. */
export interface MessageCounts {
  /** Snapshots and changes that are in a book. */
  applied: number;
  /** Messages without a book: trades, trades of the coin, tops, descriptions of markets, connections. */
  other: number;
  refused: number;
  /** Snapshots and changes of a market whose book is not certain. */
  notApplied: number;
}

/** What a rebuild of books counts. */
export interface RebuildCounts {
  snapshots: number;
  changes: number;
  /** Changes while the market's book was uncertain. No row contains them. */
  uncertainChanges: number;
  gaps: number;
  /** Books that have the hash of the venue: whole ones, and ours after a change. */
  verified: number;
}

export interface FileReport {
  readonly file: string;
  /** A mapping, or the format of a venue's catalogue. */
  mapping: string | null;
  /** Rows, records or messages. */
  rowsRead: number;
  /** Observations that were read without a fault, or made from books. */
  observationsRead: number;
  /** Rows of observations, or one market's part of a row, that were refused. */
  observationsRefused: number;
  /** Observations that the archive stored. */
  observationsStored: number;
  /** The same, by what the import had stored before. */
  readonly rowCounts: RowCounts;
  /** Whether rows wait in a staging table. If they still do at the end, they are not stored. */
  hasStaged: boolean;
  /** Trades that were read without a fault. */
  tradesRead: number;
  /** Rows or records of trades that were refused. A refused message of a recording counts in `messages`. */
  tradesRefused: number;
  /** Trades that the archive stored. */
  tradesStored: number;
  /** The same, by what the import had stored before. */
  readonly tradeCounts: RowCounts;
  /** Venue candles, counted like trades. */
  candlesRead: number;
  candlesRefused: number;
  candlesStored: number;
  candleCounts: RowCounts;
  /** Prices of coins, counted like trades. */
  coinPricesRead: number;
  coinPricesRefused: number;
  coinPricesStored: number;
  coinPriceCounts: RowCounts;
  /** How an import found what its file does not state. */
  readonly notes: string[];
  messages: MessageCounts | null;
  books: RebuildCounts | null;
  /** What messages of a recording state about markets. */
  facts: number;
  /** Rows or records of a catalogue that became no fact. */
  recordsRefused: number;
  /** Market facts that were sent, whatever the outcome. */
  markets: number;
  readonly outcomes: OutcomeCounts;
  readonly entities: Readonly<Record<'series' | 'event', EntityCounts>>;
  readonly rolling: string[];
  /** How refused rows are numbered. */
  numbering: Numbering;
  /** By reason: rows, one market's part of a row, messages, or markets that the catalogue refused. */
  readonly refused: Counts;
  /** The first value that was refused for a reason, where one value is the cause. */
  readonly refusedValues: Map<string, string>;
  /** The number of entries in `refused`. */
  refusals: number;
  /** By field and reason. */
  readonly dropped: Counts;
  /** By field and how: values stored with fewer digits than the file has. */
  /** Where the first entry of `dropped` is, and its value if that is known. */
  readonly droppedFirst: Map<string, { readonly line: number; readonly value: string | null }>;
  readonly altered: Counts;
  /** The first value of each entry of `altered`. */
  readonly alteredExamples: Map<string, { readonly from: string; readonly to: string }>;
  /** By column: binary floats of a typed file, read by their shortest decimal. */
  readonly floats: Counts;
  readonly warnings: Counts;
  /** By reason: records that state nothing new. They are not refused. */
  readonly leftOut: Counts;
  /** The times of blocks that were read for the trades of other files. */
  blockTimes: number;
  /** Conditions and tokens of no known market. Rows or messages that name them were refused. */
  readonly waitsFor: Set<string>;
  /** Files of a recording that an import does not read. */
  readonly unread: string[];
  refusedFile: string | null;
  /** Why the file was skipped without an error. */
  passedOver: string | null;
  /** When the object of a place was read that did not change since, so it was skipped. */
  unchangedSince: string | null;
  error: string | null;
  /** The archive no longer stores anything, so further files would fail too. */
  archiveFailed: boolean;
  seconds: number;
}

const noOutcomes = (): OutcomeCounts => ({ created: 0, changed: 0, unchanged: 0, refused: 0 });

export const newReport = (file: string): FileReport => ({
  file,
  mapping: null,
  rowsRead: 0,
  observationsRead: 0,
  observationsRefused: 0,
  observationsStored: 0,
  rowCounts: { stored: 0, equal: 0, different: 0 },
  hasStaged: false,
  tradesRead: 0,
  tradesRefused: 0,
  tradesStored: 0,
  tradeCounts: { stored: 0, equal: 0, different: 0 },
  candlesRead: 0,
  candlesRefused: 0,
  candlesStored: 0,
  candleCounts: { stored: 0, equal: 0, different: 0 },
  coinPricesRead: 0,
  coinPricesRefused: 0,
  coinPricesStored: 0,
  coinPriceCounts: { stored: 0, equal: 0, different: 0 },
  notes: [],
  messages: null,
  books: null,
  facts: 0,
  recordsRefused: 0,
  markets: 0,
  outcomes: noOutcomes(),
  entities: { series: { sent: 0, ...noOutcomes() }, event: { sent: 0, ...noOutcomes() } },
  numbering: 'line',
  rolling: [],
  refused: new Map(),
  refusedValues: new Map(),
  refusals: 0,
  dropped: new Map(),
  droppedFirst: new Map(),
  altered: new Map(),
  alteredExamples: new Map(),
  floats: new Map(),
  warnings: new Map(),
  leftOut: new Map(),
  blockTimes: 0,
  waitsFor: new Set(),
  unread: [],
  refusedFile: null,
  passedOver: null,
  unchangedSince: null,
  error: null,
  archiveFailed: false,
  seconds: 0,
});
