import { Reply } from '@almanac/bus';
import type { Logger } from '@almanac/runtime';
import { type KnownMarket, knownMarket, type KnownStates } from '../known-market.js';
import type { ArchiveRows } from '../snapshots/archive-rows.js';
import type { Asker } from '../snapshots/snapshots.read-model.js';
import { checkedBounds, type Window, windowOf } from '../window/window.js';
import { madeFrom, type MadePreview, type Standing, standingOf, windowMsMax } from './made-preview.js';
import { preparations } from './preparations.js';
import { pendingPreview, preparePreview } from './prepare-preview.js';
import type { PreviewCache } from './preview-cache.js';

export interface PreviewParts {
  readonly states: KnownStates;
  /** How what readers wait for is read, and what nobody has asked for yet. */
  readonly rows: { readonly asked: ArchiveRows; readonly ahead: ArchiveRows };
  readonly cache: PreviewCache;
  readonly log: Pick<Logger, 'error'>;
  /** A live market's preview may be so old while the next is made. */
  readonly behindMsMax: number;
  readonly atOnce: number;
  readonly waitingMax: number;
  /** Told of each preview that was prepared. */
  readonly onPrepared: () => void;
}

export interface Previews {
  answer(ticker: string, asker: Pick<Asker, 'plan'>): Promise<Reply>;
  /**
   * Prepares the preview of a market that is over, before anyone asks. `live`: it is not over; `busy`: somebody is at
   * it. Throws what a question would.
   */
  prepareAhead(ticker: string): Promise<'ready' | 'live' | 'busy'>;
  /** Begins no preparation any more, and resolves when none is under way. */
  stop(): Promise<void>;
}

/** A preparation is given up after this; the lock outlives it. */
export const prepareMsMax = 20_000;
/** A live market that changes all the time, with many readers, is not prepared more often than this. */
const restMs = 1_000;

/** Previews: a ready one of the market's data, or a pending one while it is prepared, once. */
export const previews = (parts: PreviewParts): Previews => {
  const { states, log, atOnce, waitingMax } = parts;
  const onFailure = (error: unknown, ticker: string): void =>
    log.error({ err: error, ticker }, 'a preview could not be prepared');
  const asked = preparations({ atOnce, waitingMax, onFailure });

  return {
    answer: async (ticker, asker) => {
      const nowMs = Date.now();
      const market = await knownMarket(states, ticker, nowMs * 1_000);
      const window = windowNow(market);
      const found = await find(parts, market, nowMs);
      if (isWanted(found, nowMs)) asked.offer(ticker, async () => void (await prepare(parts, ticker, 'asked')));
      return replyOf({ market, window, found, asker });
    },
    prepareAhead: async (ticker) => {
      const market = await knownMarket(states, ticker, Date.now() * 1_000);
      if (market.times.live) return 'live';
      return (await prepare(parts, ticker, 'ahead')) ? 'ready' : 'busy';
    },
    stop: () => asked.stop(),
  };
};

const windowNow = ({ times }: KnownMarket): Window => windowOf(checkedBounds({ stepMs: 0, preview: false }), times);

/** What there is for a market now; `made` is absent where nothing of it may be served. */
interface Found {
  readonly standing: Standing;
  readonly made?: MadePreview;
  readonly source?: 'redis' | 'memory';
}

const find = async ({ cache, behindMsMax }: PreviewParts, market: KnownMarket, nowMs: number): Promise<Found> => {
  const { ticker } = market.state;
  const found = (made: MadePreview, source: 'redis' | 'memory'): Found => {
    const standing = standingOf(made, market, { nowMs, behindMsMax });
    return standing === 'useless' ? { standing } : { standing, made, source };
  };
  const near = cache.near(ticker);
  const here = near === undefined ? ({ standing: 'useless' } as const) : found(near, 'memory');
  if (here.standing === 'current') return here;
  // Another process may have made a newer one.
  const far = await cache.far(ticker);
  return far === undefined ? here : found(far, 'redis');
};

const isWanted = ({ standing, made }: Found, nowMs: number): boolean =>
  standing !== 'current' && (made === undefined || Math.abs(nowMs - made.madeMs) >= restMs);

/** False when another process is at it. What is known is asked for here, since the work may have waited for its turn. */
const prepare = (parts: PreviewParts, ticker: string, why: keyof PreviewParts['rows']): Promise<boolean> =>
  parts.cache.alone(ticker, async () => {
    const madeMs = Date.now();
    const market = await knownMarket(parts.states, ticker, madeMs * 1_000);
    if ((await find(parts, market, madeMs)).standing === 'current') return;
    const ask = { market, window: windowNow(market) };
    const body = await preparePreview(parts.rows[why], ask, AbortSignal.timeout(prepareMsMax));
    await parts.cache.put({ ticker, version: market.version, from: madeFrom(market), madeMs, body });
    parts.onPrepared();
  });

interface Answered {
  readonly market: KnownMarket;
  readonly window: Window;
  readonly found: Found;
  readonly asker: Pick<Asker, 'plan'>;
}

/** The kept bytes are an object; the fields that depend on the moment or the asker are spliced in at its front. */
const replyOf = ({ market, window, found, asker }: Answered): Reply => {
  const { shown, version } = market;
  const { made, source = null } = found;
  const front = {
    ticker: shown.ticker,
    series: shown.series,
    include_book: false,
    market: shown,
    key_mode: asker.plan ?? null,
    preview: true,
    has_more: false,
    next_start_ts: null,
    notice: null,
    cached: made !== undefined,
    cache_source: source,
    schema: 3,
    style: shown.shape === 'rolling' ? 'rolling' : 'event',
  };
  const body = made?.body ?? pendingPreview({ market, window });
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(front).slice(0, -1)},`), body.subarray(1)]);
  const cacheable = made !== undefined && found.standing === 'current';
  return new Reply(bytes, { ticker: shown.ticker, version, ...freshUntil(market, made), cacheable });
};

/** When the answer would be another without any event: at the close of a live market, or when its window has moved on. */
const freshUntil = ({ times }: KnownMarket, made: MadePreview | undefined): { freshUntilUs?: number } => {
  if (!times.live || made === undefined) return {};
  return { freshUntilUs: Math.min(times.closeUs ?? Number.POSITIVE_INFINITY, (made.madeMs + windowMsMax) * 1_000) };
};
