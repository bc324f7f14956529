export interface ListedMarket {
  readonly ticker: string;
  /** Its id on the venue's websocket. */
  readonly feedId: string;
  /** Integer microseconds, null if the venue does not say. */
  readonly openUs: number | null;
  readonly closeUs: number | null;
  /** Whether the venue has published the result. */
  readonly isSettled: boolean;
  /** The venue's own object as text, for the recording and the catalogue. */
  readonly text: string;
}

/** The markets of one series at a venue. Both calls reject if the answer is late or has another form. */
export interface VenueLists {
  open(): Promise<readonly ListedMarket[]>;
  /** These markets, open or not. Markets that the venue does not know are left out. */
  of(tickers: readonly string[]): Promise<readonly ListedMarket[]>;
}

export interface Endpoint {
  readonly url: string;
  /** Called for each attempt, because a signature contains the time. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Ping frames of the protocol, or a text that the venue answers with another text. */
  readonly heartbeat: 'ping' | { readonly text: string; readonly answer: string };
}

/** The subscriptions of a venue's connection. It starts again with each new connection. */
export interface VenueFeed {
  readonly endpoint: Endpoint;
  /** A new connection: subscribes to all watched markets. */
  opened(connection: FeedConnection): void;
  closed(): void;
  /** Called with every frame before it is parsed as data. */
  onMessage(text: string): void;
  watch(markets: readonly WatchedMarket[]): void;
  /** Requests complete books of markets whose changes may be missing. */
  resync(tickers: readonly string[]): void;
}

export type WatchedMarket = Pick<ListedMarket, 'ticker' | 'feedId'>;

export interface FeedConnection {
  send(text: string): void;
  drop(reason: string): void;
}
