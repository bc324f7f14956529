import type { BookIntake } from '../books/intake.js';
import type { Gap, RebuildCounts } from '../books/rebuild.js';
import { type FrameReader, lostFeed } from '../sources/frames.js';
import { followMarkets } from './market-follower.js';
import type { Recorded, Recording } from './recording.js';
import { openSession, type Session, type SessionEvents, type SessionTimes } from './session.js';
import type { ListedMarket, VenueFeed, VenueLists } from './venue-feed.js';
import { type BookResync, bookResync } from './book-resync.js';

export interface CaptureDeps {
  readonly feed: VenueFeed;
  readonly lists: VenueLists;
  readonly reader: Pick<FrameReader, 'read'>;
  readonly recording: Recording;
  /** The way into the archive, which an import goes as well; it must not wait for the archive. */
  readonly intake: (onGap: (gap: Gap) => void) => Pick<BookIntake, 'take' | 'flush' | 'finish' | 'counts'>;
  /** The clock of what is received, integer microseconds; it never goes back. */
  readonly nowUs: () => number;
  readonly times: SessionTimes;
  readonly listEveryMs: number;
  readonly onEvent: (event: CaptureEvent) => void;
}

/** What a person who watches a capture wants to know at once. */
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

/** Frames that may wait to be read; then the venue is held back. */
const waitingMax = 20_000;

/** One reason for all losses of a connection: what a gap says should not depend on the words of a socket. */
export const lostReason = 'the connection to the venue was lost';

/** A market that goes on without us: the gap ends with its first book of the next capture. */
export const endedReason = 'the capture ended';

type Waiting = Recorded | { readonly flushUs: number };

/**
 * Follows the open markets of a series, from its making until `stop`. What comes in is recorded as it came, in order, and
 * read by what reads a recording, so an import of the recording makes the same rows and gaps.
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
  private frames = 0;
  private connections = 0;

  constructor(private readonly deps: CaptureDeps) {
    const { feed, lists, nowUs, onEvent } = deps;
    this.resync = bookResync((tickers) => feed.resync(tickers));
    this.intake = deps.intake((gap) => this.gap(gap));
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

  /** Makes rows of all states that are whole by now; it happens every second by itself. */
  flush(): void {
    this.enqueue({ flushUs: this.deps.nowUs() });
  }

  /** No further frame; the last states have gone their way when it resolves. */
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
      // Before it is taken: one that cannot be used begins a gap then.
      if (message.kind === 'snapshot') this.resync.markComplete(message.ticker);
      const wait = this.intake.take(message);
      if (wait) await wait;
    }
    if ('lost' in line) this.resync.lost();
  }

  private gap(gap: Gap): void {
    this.resync.gap(gap);
    // Once for all gaps that one message began.
    this.resyncTick ??= setImmediate(() => {
      this.resyncTick = null;
      this.resync.requestMissing(performance.now());
    });
  }

  private tick(): void {
    this.flush();
    this.resync.requestMissing(performance.now());
    if (!this.isFull()) this.session.holdBack(false);
  }
}
