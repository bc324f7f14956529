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
  /** Null until the venue has answered the first command. */
  sid: number | null;
  /** Runs until the venue answers the first command. */
  answerTimeout: NodeJS.Timeout | null;
}

const channel = 'orderbook_delta';

/**
 * Kalshi's `orderbook_delta` channel. One subscription covers all markets and is updated as they come and go. After a
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
    this.now = { connection, subscribed: new Set(), sid: null, answerTimeout: null };
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
    this.update(to, 'get_snapshot', known);
  }

  private take(to: ConnectionState, reply: z.infer<typeof answer>): void {
    if (reply.type === 'subscribed') {
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

  private bringUpToDate(to: ConnectionState): void {
    const target = [...this.watched].filter((ticker) => !this.unknown.has(ticker));
    if (to.sid === null) return this.subscribe(to, target);
    const added = target.filter((ticker) => !to.subscribed.has(ticker));
    const removed = [...to.subscribed].filter((ticker) => !this.watched.has(ticker));
    for (const ticker of added) to.subscribed.add(ticker);
    for (const ticker of removed) to.subscribed.delete(ticker);
    this.update(to, 'add_markets', added);
    this.update(to, 'delete_markets', removed);
  }

  private subscribe(to: ConnectionState, tickers: readonly string[]): void {
    if (to.answerTimeout || tickers.length === 0) return;
    to.answerTimeout = setTimeout(() => to.connection.drop('no answer to the subscription'), this.answerMs);
    for (const ticker of tickers) to.subscribed.add(ticker);
    this.command(to, 'subscribe', { channels: [channel], market_tickers: tickers });
  }

  private update(to: ConnectionState, action: string, tickers: readonly string[]): void {
    if (tickers.length > 0 && to.sid !== null)
      this.command(to, 'update_subscription', { sids: [to.sid], market_tickers: tickers, action });
  }

  private command(to: ConnectionState, cmd: string, params: object): void {
    this.commands += 1;
    to.connection.send(JSON.stringify({ id: this.commands, cmd, params }));
  }
}
