import type { z } from 'zod';
import type { CandleFormat } from './candle-format.js';
import type { BookMessage } from '../model/feed-message.js';
import type { FrameColumns } from '../model/frame-run.js';
import type { FrameScanner } from '../sources/frame-scanner.js';
import type { MarketFact } from '../model/market-fact.js';
import type { BookSource } from '../model/book-source.js';
import type { AcceptAltered } from '../values/altered.js';
import type { JsonObject, TypedRows } from '../sources/source.js';
import type { BlockTable, CatalogueFormat } from './catalogue-format.js';
import type { KnownOutcomes } from '../sources/known-outcomes.js';
import type { TradeFormat } from './trade-format.js';
import type { VenueFeed, VenueLists } from './venue-feed.js';

/** Everything that differs between venues. */
export interface Venue {
  /** The records of its catalogue. `catalogueFormatOf` takes the first format that fits. */
  readonly catalogueFormats: readonly CatalogueFormat[];
  /** The records of its dumps of trades. */
  readonly tradeFormats: readonly TradeFormat[];
  /** The forms of its candles. */
  readonly candleFormats: readonly CandleFormat[];
  readonly frames: FrameFormat;
  /** Of a venue whose trades are on a chain. */
  readonly blockTable?: BlockTable;
  /** Tables with the messages of an hour. */
  readonly hourlyBooks?: HourlyBooks;
  /** Folders that a recorder of this venue writes. */
  readonly recorderFolder?: RecorderFolder;
  /** Parses the variables of a live capture. */
  readonly live: z.ZodType<LiveVenue>;
}

/** The market of a token that the frames of a recording do not describe. */
export type FeedOutcomes = Pick<KnownOutcomes, 'get'>;

export interface FrameFormat {
  /** Whether the first frames of a recording are this venue's. `json` is a parsed frame. */
  readonly is: (json: unknown) => boolean;
  /** Whether a value of an unknown envelope is a message of this venue's feed. */
  readonly isMessage: (json: unknown) => boolean;
  /** When the venue sent a message, null if it does not say. */
  readonly timeOf: (json: unknown) => number | null;
  /** A reader for one recording or one capture. */
  readonly reader: (outcomes?: FeedOutcomes) => FrameReader;
  /** The ids in the text of a frame whose markets the reader needs. Absent: its frames have tickers. */
  readonly idsIn?: (text: string) => readonly string[];
}

/** Parses the frames of a venue, from a file or live. */
export interface FrameReader {
  readonly name: string;
  /** `json` is the parsed frame, if the caller has it. */
  readonly read: (us: number, raw: string, json?: unknown) => readonly BookMessage[];
  readonly factOf: (ticker: string) => MarketFact;
  /** Reads plain frames by column, as `read` reads them. Absent: all are parsed. */
  readonly plain?: PlainReader;
}

export interface PlainReader {
  /** Reads a frame into rows from a row on, and returns their number. 0: `read` must read it, and the rows have no meaning. */
  read(scan: FrameScanner, to: FrameColumns, row: number): number;
  /** Whether a row is plain after the frames before it were read. Absent: it is. */
  isStill?(columns: FrameColumns, row: number): boolean;
}

/** Tables whose rows are messages about books, one file an hour. */
export interface HourlyBooks {
  readonly name: string;
  readonly is: (columns: readonly string[]) => boolean;
  /** The columns that show the place of a row: its time, market and kind. */
  readonly placeColumns: (columns: readonly string[]) => readonly string[];
  readonly rowColumns: (columns: readonly string[]) => readonly string[];
  readonly read: (record: JsonObject) => HourlyRow;
  /** The rows of a block by column. Null: they are read one by one. */
  readonly cells?: (block: TypedRows) => HourlyCells | null;
}

type RowText = (row: number) => unknown;

/**
 * Rows by column, as `read` would read them. Times are in microseconds, prices and sizes in millionths. A number is `emptyCell`
 * without a value, and `unreadCell` if only the record decides what it is.
 */
export interface HourlyCells {
  readonly count: number;
  /** The number of the first row. */
  readonly line: number;
  readonly market: RowText;
  readonly token: RowText;
  readonly kind: RowText;
  readonly received: Float64Array;
  readonly changes: () => ChangeCells;
  /** The kinds of rows that are whole books and changes. Sides of changes are `BUY` and `SELL`. */
  readonly book: string;
  readonly change: string;
}

export interface ChangeCells {
  readonly sent: Float64Array;
  readonly price: Float64Array;
  readonly size: Float64Array;
  readonly side: RowText;
  readonly bestBid: Float64Array;
  readonly bestAsk: Float64Array;
}

export interface HourlyRow {
  /** Times as the file has them: of receipt, and of the venue. */
  readonly received: unknown;
  readonly sent: unknown;
  /** The id of the market, and of its outcome. */
  readonly market: string;
  readonly token: string;
  readonly isBook: boolean;
  readonly isChange: boolean;
  /** The message of the venue's feed without its time. */
  readonly message: () => JsonObject;
}

export interface RecorderFolder {
  readonly is: (folder: string) => Promise<boolean>;
  /** The folder of the recording that a folder or file belongs to, or null. A recording belongs to itself. */
  readonly folderOf: (path: string) => Promise<string | null>;
  /** Whether a record is of a file of such a folder, wherever the file is. */
  readonly isRecord: (record: JsonObject) => boolean;
  /** Throws an `ImportError` that names what cannot be read. */
  readonly open: (folder: string, accept: AcceptAltered) => Promise<BookSource>;
}

export interface LiveVenue {
  readonly connect: (series: string) => { readonly feed: VenueFeed; readonly lists: VenueLists };
}
