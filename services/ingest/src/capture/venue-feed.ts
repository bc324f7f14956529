import type { Endpoint } from './session.js';

/** A market as a venue's lists tell it. */
export interface ListedMarket {
  readonly ticker: string;
  /** What the venue's websocket calls it. */
  readonly feedId: string;
  /** Integer microseconds; null where the venue does not tell. */
  readonly openUs: number | null;
  readonly closeUs: number | null;
  /** Whether the venue has said how it ended. */
  readonly isSettled: boolean;
  /** The venue's own object as text, for the recording and the catalogue. */
  readonly text: string;
}

/** What a venue lists of one series. Both reject where it does not answer in time or not in its form. */
export interface VenueLists {
  /** The markets that can be traded now. */
  open(): Promise<readonly ListedMarket[]>;
  /** These markets, open or not; one that the venue does not know is left out. */
  of(tickers: readonly string[]): Promise<readonly ListedMarket[]>;
}

/**
 * What is said to a venue over a connection so that it tells of the watched markets. It knows the state of that one
 * connection, and begins anew with the next.
 */
export interface VenueFeed {
  readonly endpoint: Endpoint;
  /** A new connection: everything watched is subscribed on it. */
  opened(connection: FeedConnection): void;
  closed(): void;
  /** Every frame, before it is read as data. */
  onMessage(text: string): void;
  /** From now on these markets, and no others. */
  watch(markets: readonly WatchedMarket[]): void;
  /** Asks for whole books of these markets, of which changes may be missing. */
  resync(tickers: readonly string[]): void;
}

export type WatchedMarket = Pick<ListedMarket, 'ticker' | 'feedId'>;

export interface FeedConnection {
  send(text: string): void;
  drop(reason: string): void;
}
