import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { millionthsText, one, readMillionths } from '../../values/millionths.js';
import { type FakeVenue, fakeVenue } from './fake-venue.js';

/** One message of Kalshi's channels `orderbook_delta` or `trade` without its subscription fields. */
export interface RecordedMessage {
  readonly type: string;
  readonly msg: Readonly<Record<string, unknown>> & { readonly market_ticker: string };
}

/** Faults that the venue adds to the messages, by their number from 0. */
export interface FaultPlan {
  /** The connection drops before this message, and this many messages are skipped before the next subscription. */
  readonly drops: ReadonlyMap<number, number>;
  /** The message is not sent, but it changes the book. */
  readonly lost: ReadonlySet<number>;
  /** The message is sent twice. */
  readonly repeated: ReadonlySet<number>;
}

/** A market's book after a sent message, as the venue has it: best first. */
export interface Sent {
  readonly ticker: string;
  readonly yes: string;
  readonly no: string;
}

type Book = Record<'yes' | 'no', Map<string, number>>;

interface Live {
  readonly socket: WebSocket;
  readonly markets: Set<string>;
}

const command = z.object({
  id: z.int(),
  cmd: z.string(),
  params: z.object({
    market_tickers: z.array(z.string()).default([]),
    action: z.string().optional(),
    sids: z.array(z.int()).default([]),
  }),
});

/**
 * A fake Kalshi server on a free port: it lists markets, answers feed commands as its AsyncAPI document defines, and
 * plays messages with faults. It builds the books independently, in the simplest way, and notes by `seq` (which
 * continues over connections) the market's book after each sent message.
 */
export class ReplayVenue {
  readonly sent = new Map<number, Sent>();
  readonly stats = { connections: 0, snapshots: 0, headers: [] as IncomingHttpHeaders[] };
  private readonly books = new Map<string, Book>();
  private live: Live | null = null;
  private seq = 0;
  private server: FakeVenue | null = null;

  private constructor(
    private readonly messages: readonly RecordedMessage[],
    private readonly faultPlan: FaultPlan,
  ) {}

  static async start(messages: readonly RecordedMessage[], faultPlan: FaultPlan): Promise<ReplayVenue> {
    const venue = new ReplayVenue(messages, faultPlan);
    const tickers = [...new Set(messages.map(({ msg }) => msg.market_ticker))];
    venue.server = await fakeVenue({
      onRequest: (request, response) => list(request, response, tickers),
      onSocket: (socket, headers) => {
        venue.stats.connections += 1;
        venue.stats.headers.push(headers);
        socket.on('close', () => {
          if (venue.live?.socket === socket) venue.live = null;
        });
      },
      onMessage: (socket, text) => venue.obey(socket, text),
    });
    return venue;
  }

  url(scheme: 'ws' | 'http', path: string): string {
    if (this.server === null) throw new Error('the venue does not listen');
    return this.server.url(scheme, path);
  }

  /** Resolves when the last message was sent on a live connection. `pauseMs` follows each 50 messages. */
  async play({ pauseMs = 0 }: { readonly pauseMs?: number } = {}): Promise<void> {
    let missed = 0;
    for (const [at, message] of this.messages.entries()) {
      const drop = this.faultPlan.drops.get(at);
      if (drop !== undefined && this.live) {
        await this.drained();
        this.live.socket.terminate();
        this.live = null;
        missed = drop;
      }
      if (missed > 0) missed -= 1;
      else await this.isLive();
      const before = this.stats.snapshots;
      this.deliver(message, at);
      // The client detects a loss with the next message, and requests new snapshots.
      while (this.faultPlan.lost.has(at - 1) && this.stats.snapshots === before) await turn();
      if (at % 50 === 0) await delay(pauseMs);
    }
    await this.isLive();
    await this.drained();
  }

  close(): void {
    this.server?.close();
  }

  private async isLive(): Promise<void> {
    while (this.live === null || this.live.markets.size === 0) await delay(1);
  }

  /**
   * Waits until sent messages have left before the connection breaks, since the client cannot report a message that it
   * never got.
   */
  private async drained(): Promise<void> {
    while (this.live && this.live.socket.bufferedAmount > 0) await turn();
  }

  private deliver(message: RecordedMessage, at: number): void {
    const { market_ticker: ticker } = message.msg;
    if (message.type === 'trade') return this.sendFrame({ type: 'trade', sid: 2, msg: message.msg });
    apply(this.bookOf(ticker), message);
    if (this.live?.markets.has(ticker) !== true) return;
    const frame = { type: message.type, sid: 1, seq: this.note(ticker), msg: message.msg };
    if (this.faultPlan.lost.has(at)) return;
    this.sendFrame(frame);
    if (this.faultPlan.repeated.has(at)) this.sendFrame(frame);
  }

  private obey(socket: WebSocket, text: string): void {
    const { id, cmd, params } = command.parse(JSON.parse(text));
    const { market_tickers: tickers, action, sids } = params;
    if (cmd === 'subscribe') {
      this.live = { socket, markets: new Set(tickers) };
      this.sendFrame({ type: 'subscribed', id, msg: { channel: 'orderbook_delta', sid: 1 } });
      this.sendFrame({ type: 'subscribed', id, msg: { channel: 'trade', sid: 2 } });
    }
    // An update of the subscription of trades.
    if (sids.includes(2)) return;
    for (const ticker of tickers) {
      if (action === 'delete_markets') this.live?.markets.delete(ticker);
      else if (action !== 'get_snapshot') this.live?.markets.add(ticker);
      if (action !== 'delete_markets') this.sendSnapshot(ticker);
    }
  }

  private sendSnapshot(ticker: string): void {
    const { yes, no } = this.bookOf(ticker);
    const msg = { market_ticker: ticker, yes_dollars_fp: pairsOf(yes), no_dollars_fp: pairsOf(no) };
    this.stats.snapshots += 1;
    this.sendFrame({ type: 'orderbook_snapshot', sid: 1, seq: this.note(ticker), msg });
  }

  private sendFrame(frame: object): void {
    this.live?.socket.send(`${JSON.stringify(frame)}\n`);
  }

  private note(ticker: string): number {
    const { yes, no } = this.bookOf(ticker);
    this.seq += 1;
    this.sent.set(this.seq, { ticker, yes: textOf(yes), no: textOf(no) });
    return this.seq;
  }

  private bookOf(ticker: string): Book {
    let book = this.books.get(ticker);
    if (!book) this.books.set(ticker, (book = { yes: new Map(), no: new Map() }));
    return book;
  }
}

const list = (request: IncomingMessage, response: ServerResponse, tickers: readonly string[]): void => {
  const query = new URL(request.url ?? '', 'http://venue').searchParams;
  const requestedTickers = query.get('tickers')?.split(',');
  const times = { open_time: '2026-01-01T00:00:00Z', close_time: '2099-01-01T00:00:00Z' };
  const markets = tickers
    .filter((ticker) => requestedTickers?.includes(ticker) ?? true)
    .map((ticker) => ({ ticker, event_ticker: ticker.slice(0, ticker.lastIndexOf('-')), status: 'active', ...times }));
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ markets, cursor: '' }));
};

const apply = (book: Book, { type, msg }: RecordedMessage): void => {
  if (type === 'orderbook_snapshot') {
    for (const side of ['yes', 'no'] as const) {
      const levels = (msg[`${side}_dollars_fp`] ?? []) as readonly (readonly [string, string])[];
      book[side] = new Map(levels.map(([price, size]) => [millionthsText(exact(price)), exact(size)]));
    }
    return;
  }
  const levels = book[msg['side'] === 'yes' ? 'yes' : 'no'];
  const price = millionthsText(exact(msg['price_dollars']));
  const size = (levels.get(price) ?? 0) + exact(msg['delta_fp']);
  if (size === 0) levels.delete(price);
  else levels.set(price, size);
};

const exact = (text: unknown): number => readMillionths(String(text)) ?? Number.NaN;

const pairsOf = (levels: ReadonlyMap<string, number>): readonly (readonly [string, string])[] =>
  Array.from(levels, ([price, size]) => [price, millionthsText(size)]);

/** The levels as text, in the form of a row. */
const textOf = (levels: ReadonlyMap<string, number>): string => {
  const best = Array.from(levels, ([price, size]) => [exact(price), size] as const).toSorted((a, b) => b[0] - a[0]);
  return `[${best.map(([price, size]) => `(${millionthsText(price)},${millionthsText(size)})`).join(',')}]`;
};

/** The best ask of a rebuilt row: 1 minus the best NO bid. */
export const bestAskOf = (no: string): string | null => {
  const best = /^\[\(([\d.]+),/.exec(no)?.[1];
  return best === undefined ? null : millionthsText(one - exact(best));
};
