import { parseJson } from '@almanac/contracts';
import { z } from 'zod';
import type { Endpoint, FeedConnection, VenueFeed, WatchedMarket } from '../venue-feed.js';

/** Answers to commands. Every other message is data. */
const answer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('subscribed'), msg: z.object({ channel: z.string(), sid: z.int() }) }),
  z.object({
    type: z.literal('error'),
    msg: z.object({ code: z.int(), msg: z.string(), market_ticker: z.string().optional() }),
  }),
]);

interface ConnectionState {
  readonly connection: FeedConnection;
  readonly subscribed: Set<string>;
  /** The markets of the first command, which subscribes to both channels. */
  readonly requested: Set<string>;
  /** Null until the venue has answered the first command. */
  sid: number | null;
  /** The subscription of trades, which the venue answers apart. */
  tradeSid: number | null;
  /** Runs until the venue answers the first command. */
  answerTimeout: NodeJS.Timeout | null;
}

const channel = 'orderbook_delta';
const tradeChannel = 'trade';

/**
 * Kalshi's channels `orderbook_delta` and `trade`. One subscription of each covers all markets and is updated as they come and go. After a
 * loss `get_snapshot` returns complete books. Commands wait until the subscription id (`sid`) is known.
 */
export class KalshiFeed implements VenueFeed {
  private watched: ReadonlySet<string> = new Set();
  /** Markets that the venue does not know. They are not requested again, or each new connection would fail on them. */
  private readonly unknown = new Set<string>();
  private now: ConnectionState | null = null;
  private commands = 0;

  constructor(
    readonly endpoint: Endpoint,
    private readonly answerMs: number,
  ) {}

  opened(connection: FeedConnection): void {
    this.now = {
      connection,
      subscribed: new Set(),
      requested: new Set(),
      sid: null,
      tradeSid: null,
      answerTimeout: null,
    };
    this.bringUpToDate(this.now);
  }

  closed(): void {
    clearTimeout(this.now?.answerTimeout ?? undefined);
    this.now = null;
  }

  onMessage(text: string): void {
    // Data frames come by the thousand per second. Only answers are parsed here.
    if (!this.now || !(text.includes('"subscribed"') || text.includes('"error"'))) return;
    const reply = answer.safeParse(parseJson(text));
    if (reply.success) this.take(this.now, reply.data);
  }

  watch(markets: readonly WatchedMarket[]): void {
    this.watched = new Set(markets.map(({ ticker }) => ticker));
    if (this.now) this.bringUpToDate(this.now);
  }

  resync(tickers: readonly string[]): void {
    const to = this.now;
    if (!to) return;
    const known = tickers.filter((ticker) => to.subscribed.has(ticker));
    this.update(to, 'get_snapshot', { sid: to.sid, tickers: known });
  }

  private take(to: ConnectionState, reply: z.infer<typeof answer>): void {
    if (reply.type === 'subscribed') {
      if (reply.msg.channel === tradeChannel) return this.takeTradeSid(to, reply.msg.sid);
      if (reply.msg.channel !== channel) return;
      to.sid = reply.msg.sid;
      clearTimeout(to.answerTimeout ?? undefined);
      this.bringUpToDate(to);
      return;
    }
    const { code, msg, market_ticker: ticker } = reply.msg;
    if (ticker === undefined) return to.connection.drop(`the venue answered: ${msg} (${code})`);
    this.unknown.add(ticker);
    to.subscribed.delete(ticker);
  }

  /** Brings the subscription of trades to the markets of that of books, which may have changed since the command. */
  private takeTradeSid(to: ConnectionState, sid: number): void {
    to.tradeSid = sid;
    const added = [...to.subscribed].filter((ticker) => !to.requested.has(ticker));
    const removed = [...to.requested].filter((ticker) => !to.subscribed.has(ticker));
    this.update(to, 'add_markets', { sid, tickers: added });
    this.update(to, 'delete_markets', { sid, tickers: removed });
  }

  private bringUpToDate(to: ConnectionState): void {
    const target = [...this.watched].filter((ticker) => !this.unknown.has(ticker));
    if (to.sid === null) return this.subscribe(to, target);
    const added = target.filter((ticker) => !to.subscribed.has(ticker));
    const removed = [...to.subscribed].filter((ticker) => !this.watched.has(ticker));
    for (const ticker of added) to.subscribed.add(ticker);
    for (const ticker of removed) to.subscribed.delete(ticker);
    for (const sid of [to.sid, to.tradeSid]) {
      this.update(to, 'add_markets', { sid, tickers: added });
      this.update(to, 'delete_markets', { sid, tickers: removed });
    }
  }

  private subscribe(to: ConnectionState, tickers: readonly string[]): void {
    if (to.answerTimeout || tickers.length === 0) return;
    to.answerTimeout = setTimeout(() => to.connection.drop('no answer to the subscription'), this.answerMs);
    for (const ticker of tickers) {
      to.subscribed.add(ticker);
      to.requested.add(ticker);
    }
    this.command(to, 'subscribe', { channels: [channel, tradeChannel], market_tickers: tickers });
  }

  private update(
    to: ConnectionState,
    action: string,
    { sid, tickers }: { sid: number | null; tickers: readonly string[] },
  ): void {
    if (tickers.length > 0 && sid !== null)
      this.command(to, 'update_subscription', { sids: [sid], market_tickers: tickers, action });
  }

  private command(to: ConnectionState, cmd: string, params: object): void {
    this.commands += 1;
    to.connection.send(JSON.stringify({ id: this.commands, cmd, params }));
  }
}
