import type { BookIntake } from '../books/book-intake.js';
import type { BookSpan } from '../books/rebuild-sink.js';
import type { RebuildCounts } from '../intake/report.js';
import { lostFeed } from '../recordings/frames.js';
import type { FrameReader } from '../venues/venue.js';
import { followMarkets } from './market-follower.js';
import type { Recorded, Recording } from './recording.js';
import { openSession, type Session, type SessionEvents, type SessionTimes } from './session.js';
import type { ListedMarket, VenueFeed, VenueLists } from '../venues/venue-feed.js';
import { type BookResync, bookResync } from './book-resync.js';

export interface CaptureDeps {
  readonly feed: VenueFeed;
  readonly lists: VenueLists;
  readonly reader: Pick<FrameReader, 'read'>;
  readonly recording: Recording;
  /** The intake that an import uses too. It must not wait for the archive. */
  readonly intake: (onSpan: (span: BookSpan) => void) => Pick<BookIntake, 'take' | 'flush' | 'finish' | 'counts'>;
  /** The receive clock in integer microseconds. It never goes back. */
  readonly nowUs: () => number;
  readonly times: SessionTimes;
  readonly listEveryMs: number;
  /** Rows are sent at this interval. Each send is one change of every market that has rows. */
  readonly storeEveryMs: number;
  readonly onEvent: (event: CaptureEvent) => void;
}

export type CaptureEvent =
  | { readonly kind: 'connected' }
  | { readonly kind: 'lost'; readonly reason: string }
  | { readonly kind: 'retry'; readonly reason: string; readonly pauseMs: number }
  | { readonly kind: 'market'; readonly market: ListedMarket }
  | { readonly kind: 'list_fault'; readonly error: unknown };

export interface CaptureCounts extends RebuildCounts {
  readonly frames: number;
  readonly connections: number;
  readonly markets: number;
  readonly booksMissing: number;
}

const tickMs = 1_000;

/** Frames that may wait before the venue is held back. */
const waitingMax = 20_000;

/** One reason for every lost connection, so that gaps do not depend on the text of a socket error. */
export const lostReason = 'the connection to the venue was lost';

export const endedReason = 'the capture ended';

type Waiting = Recorded | { readonly flushUs: number };

/**
 * Follows the open markets of a series until `stop`. Frames are recorded verbatim and in order, and parsed by the same
 * code as a recording. So an import of the recording makes the same rows and gaps.
 */
export class Capture {
  private readonly intake: ReturnType<CaptureDeps['intake']>;
  private readonly resync: BookResync;
  private readonly session: Session;
  private readonly follower: { stop(): Promise<void> };
  private readonly ticking: NodeJS.Timeout;
  private waiting: Waiting[] = [];
  private reading: Promise<void> | null = null;
  private stopping: Promise<void> | null = null;
  private resyncTick: NodeJS.Immediate | null = null;
  private sinceStoreMs = 0;
  private frames = 0;
  private connections = 0;

  constructor(private readonly deps: CaptureDeps) {
    const { feed, lists, nowUs, onEvent } = deps;
    this.resync = bookResync((tickers) => feed.resync(tickers));
    this.intake = deps.intake((span) => this.span(span));
    this.session = openSession(feed.endpoint, this.events(), deps.times);
    this.follower = followMarkets({
      lists,
      everyMs: deps.listEveryMs,
      nowMs: () => nowUs() / 1000,
      onMarket: (market) => this.recordMarket(market),
      onOpen: (markets) => {
        this.resync.watch(markets.map(({ ticker }) => ticker));
        feed.watch(markets);
      },
      onFault: (error) => onEvent({ kind: 'list_fault', error }),
    });
    this.ticking = setInterval(() => this.tick(), tickMs);
  }

  counts(): CaptureCounts {
    const { frames, connections, intake, resync } = this;
    return { ...intake.counts, frames, connections, markets: resync.watched(), booksMissing: resync.missing().length };
  }

  flush(): void {
    this.enqueue({ flushUs: this.deps.nowUs() });
  }

  /** Takes no more frames. Resolves when the last states are handed on. */
  stop(): Promise<void> {
    return (this.stopping ??= this.end());
  }

  private async end(): Promise<void> {
    clearInterval(this.ticking);
    await Promise.all([this.follower.stop(), this.session.close()]);
    this.deps.feed.closed();
    this.record({ us: this.deps.nowUs(), lost: endedReason });
    await this.reading;
    clearImmediate(this.resyncTick ?? undefined);
    await this.intake.finish();
  }

  private events(): SessionEvents {
    const { feed, onEvent } = this.deps;
    return {
      onOpen: (send) => {
        this.connections += 1;
        onEvent({ kind: 'connected' });
        feed.opened({ send, drop: (reason) => this.session.drop(reason) });
      },
      onFrame: (raw) => {
        this.frames += 1;
        feed.onMessage(raw);
        this.record({ us: this.deps.nowUs(), raw });
        if (this.isFull()) this.session.holdBack(true);
      },
      onLost: (reason) => {
        feed.closed();
        this.record({ us: this.deps.nowUs(), lost: lostReason });
        onEvent({ kind: 'lost', reason });
      },
      onRetry: (reason, pauseMs) => onEvent({ kind: 'retry', reason, pauseMs }),
    };
  }

  private recordMarket(market: ListedMarket): void {
    this.record({ us: this.deps.nowUs(), raw: market.text });
    this.deps.onEvent({ kind: 'market', market });
  }

  private isFull(): boolean {
    return this.waiting.length > waitingMax || this.deps.recording.isFull();
  }

  private record(line: Recorded): void {
    this.deps.recording.append(line);
    this.enqueue(line);
  }

  private enqueue(item: Waiting): void {
    this.waiting.push(item);
    this.reading ??= this.read().finally(() => {
      this.reading = null;
    });
  }

  private async read(): Promise<void> {
    while (this.waiting.length > 0) {
      const items = this.waiting;
      this.waiting = [];
      for (const item of items) {
        if ('flushUs' in item) await this.intake.flush(item.flushUs);
        else await this.take(item);
      }
    }
  }

  private async take(line: Recorded): Promise<void> {
    const messages = 'raw' in line ? this.deps.reader.read(line.us, line.raw) : [lostFeed(line.us, line.lost)];
    for (const message of messages) {
      // Marked before it is taken, because a snapshot that cannot be used begins a gap.
      if (message.kind === 'snapshot') this.resync.markComplete(message.ticker);
      const wait = this.intake.take(message);
      if (wait) await wait;
    }
    if ('lost' in line) this.resync.lost();
  }

  private span(span: BookSpan): void {
    this.resync.span(span);
    if (span.endReason === null) return;
    // One request for all markets whose books one message made uncertain.
    this.resyncTick ??= setImmediate(() => {
      this.resyncTick = null;
      this.resync.requestMissing(performance.now());
    });
  }

  private tick(): void {
    this.sinceStoreMs += tickMs;
    if (this.sinceStoreMs >= this.deps.storeEveryMs) {
      this.sinceStoreMs = 0;
      this.flush();
    }
    this.resync.requestMissing(performance.now());
    if (!this.isFull()) this.session.holdBack(false);
  }
}
