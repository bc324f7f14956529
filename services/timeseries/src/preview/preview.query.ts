import { Reply } from '@almanac/bus';
import type { Logger } from '@almanac/runtime';
import { type MarketContext, loadMarketContext, type StateCaches } from '../market-context.js';
import type { ArchiveRows } from '../snapshots/archive-rows.js';
import type { Caller } from '../snapshots/snapshots.query.js';
import { checkedBounds, type Window, windowOf } from '../window/window.js';
import { sourceKeyOf, type PreparedPreview, type Freshness, freshnessOf, windowMsMax } from './prepared-preview.js';
import { preparations } from './preparations.js';
import { pendingPreview, preparePreview } from './prepare-preview.js';
import type { PreviewCache } from './preview-cache.js';

export interface PreviewDeps {
  readonly states: StateCaches;
  /** How what readers wait for is read, and what nobody has asked for yet. */
  readonly rows: { readonly onDemand: ArchiveRows; readonly ahead: ArchiveRows };
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
  answer(ticker: string, caller: Pick<Caller, 'plan'>): Promise<Reply>;
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
const minIntervalMs = 1_000;

/** Previews: a ready one of the market's data, or a pending one while it is prepared, once. */
export const previews = (deps: PreviewDeps): Previews => {
  const { states, log, atOnce, waitingMax } = deps;
  const onFailure = (error: unknown, ticker: string): void =>
    log.error({ err: error, ticker }, 'a preview could not be prepared');
  const onDemandQueue = preparations({ atOnce, waitingMax, onFailure });

  return {
    answer: async (ticker, caller) => {
      const nowMs = Date.now();
      const market = await loadMarketContext(states, ticker, nowMs * 1_000);
      const window = windowNow(market);
      const found = await find(deps, market, nowMs);
      if (needsPreparation(found, nowMs))
        onDemandQueue.offer(ticker, async () => void (await prepare(deps, ticker, 'onDemand')));
      return replyOf({ market, window, found, caller });
    },
    prepareAhead: async (ticker) => {
      const market = await loadMarketContext(states, ticker, Date.now() * 1_000);
      if (market.times.live) return 'live';
      return (await prepare(deps, ticker, 'ahead')) ? 'ready' : 'busy';
    },
    stop: () => onDemandQueue.stop(),
  };
};

const windowNow = ({ times }: MarketContext): Window => windowOf(checkedBounds({ stepMs: 0, preview: false }), times);

/** What there is for a market now; `preview` is absent where nothing of it may be served. */
interface CachedPreview {
  readonly freshness: Freshness;
  readonly preview?: PreparedPreview;
  readonly source?: 'redis' | 'memory';
}

const find = async (
  { cache, behindMsMax }: PreviewDeps,
  market: MarketContext,
  nowMs: number,
): Promise<CachedPreview> => {
  const { ticker } = market.state;
  const found = (preview: PreparedPreview, source: 'redis' | 'memory'): CachedPreview => {
    const freshness = freshnessOf(preview, market, { nowMs, behindMsMax });
    return freshness === 'useless' ? { freshness } : { freshness, preview, source };
  };
  const cachedInMemory = cache.fromMemory(ticker);
  const here = cachedInMemory === undefined ? ({ freshness: 'useless' } as const) : found(cachedInMemory, 'memory');
  if (here.freshness === 'current') return here;
  // Another process may have made a newer one.
  const cachedInRedis = await cache.fromRedis(ticker);
  return cachedInRedis === undefined ? here : found(cachedInRedis, 'redis');
};

const needsPreparation = ({ freshness, preview }: CachedPreview, nowMs: number): boolean =>
  freshness !== 'current' && (preview === undefined || Math.abs(nowMs - preview.madeMs) >= minIntervalMs);

/** False when another process is at it. What is known is asked for here, since the work may have waited for its turn. */
const prepare = (deps: PreviewDeps, ticker: string, why: keyof PreviewDeps['rows']): Promise<boolean> =>
  deps.cache.withLock(ticker, async () => {
    const madeMs = Date.now();
    const market = await loadMarketContext(deps.states, ticker, madeMs * 1_000);
    if ((await find(deps, market, madeMs)).freshness === 'current') return;
    const request = { market, window: windowNow(market) };
    const body = await preparePreview(deps.rows[why], request, AbortSignal.timeout(prepareMsMax));
    await deps.cache.put({ ticker, version: market.version, from: sourceKeyOf(market), madeMs, body });
    deps.onPrepared();
  });

interface ReplyInput {
  readonly market: MarketContext;
  readonly window: Window;
  readonly found: CachedPreview;
  readonly caller: Pick<Caller, 'plan'>;
}

/** The kept bytes are an object; the fields that depend on the moment or the asker are spliced in at its front. */
const replyOf = ({ market, window, found, caller }: ReplyInput): Reply => {
  const { entry, version } = market;
  const { preview, source = null } = found;
  const front = {
    ticker: entry.ticker,
    series: entry.series,
    include_book: false,
    market: entry,
    key_mode: caller.plan ?? null,
    preview: true,
    has_more: false,
    next_start_ts: null,
    notice: null,
    cached: preview !== undefined,
    cache_source: source,
    schema: 3,
    style: entry.shape === 'rolling' ? 'rolling' : 'event',
  };
  const body = preview?.body ?? pendingPreview({ market, window });
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(front).slice(0, -1)},`), body.subarray(1)]);
  const cacheable = preview !== undefined && found.freshness === 'current';
  return new Reply(bytes, { ticker: entry.ticker, version, ...freshUntil(market, preview), cacheable });
};

/** When the answer would be another without any event: at the close of a live market, or when its window has moved on. */
const freshUntil = ({ times }: MarketContext, preview: PreparedPreview | undefined): { freshUntilUs?: number } => {
  if (!times.live || preview === undefined) return {};
  return { freshUntilUs: Math.min(times.closeUs ?? Number.POSITIVE_INFINITY, (preview.madeMs + windowMsMax) * 1_000) };
};
