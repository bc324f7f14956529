import { Reply } from '@almanac/bus';
import { presentTime } from '@almanac/contracts';
import { backgroundCaller, type Logger } from '@almanac/runtime';
import { type VenueRanges, withVenueTimesOnly } from '../candles/venue-ranges.js';
import { type MarketContext, loadMarketContext, type StateCaches } from '../market-context.js';
import type { ArchiveRows } from '../rows/archive-rows.js';
import type { Prepared } from '../slabs/slabs.js';
import type { Caller } from '../snapshots/snapshots.query.js';
import type { Window } from '../window/window.js';
import { sourceKeyOf, type PreparedPreview, type Freshness, freshnessOf, windowMsMax } from './prepared-preview.js';
import { preparations } from '../preparations.js';
import { noticesOfPreview, pendingPreview, preparePreview, previewBytes, previewWindow } from './prepare-preview.js';
import type { PreviewCache } from './preview-cache.js';

export interface PreviewDeps {
  readonly states: StateCaches;
  /** `onDemand` reads for a waiting reader, `ahead` for the preview queue. */
  readonly rows: { readonly onDemand: ArchiveRows; readonly ahead: ArchiveRows };
  readonly venueRanges: VenueRanges;
  readonly cache: PreviewCache;
  readonly log: Pick<Logger, 'error'>;
  /** Maximum age of a live market's preview that is served while the next one is prepared. */
  readonly behindMsMax: number;
  readonly atOnce: number;
  readonly waitingMax: number;
  readonly onPrepared: () => void;
  /** Makes the slabs of a market whose preview is prepared ahead, since it is over. */
  readonly prepareSlabs: (market: MarketContext) => Promise<Prepared>;
}

export type Previews = ReturnType<typeof previews>;

/** A preparation is aborted after this time. The lock lasts longer. */
export const prepareMsMax = 20_000;
/** A live market that changes all the time and has many readers is prepared at most this often. */
const minIntervalMs = 1_000;

/** Answers with a ready preview, or with a pending one while a single preparation runs. */
export const previews = (deps: PreviewDeps) => {
  const { states, log, atOnce, waitingMax } = deps;
  const onFailure = (error: unknown, ticker: string): void =>
    log.error({ err: error, ticker }, 'a preview could not be prepared');
  const onDemandQueue = preparations({ atOnce, waitingMax, onFailure });

  return {
    answer: async (ticker: string, caller: Caller): Promise<Reply> => {
      const nowMs = Date.now();
      const loaded = await loadMarketContext(states, ticker, presentTime(nowMs));
      const market = await withVenueTimesOnly(deps.venueRanges, loaded, caller);
      const window = previewWindow(market);
      const found = await find(deps, market, nowMs);
      if (needsPreparation(found, nowMs))
        onDemandQueue.offer(ticker, caller.account ?? '', async () => void (await prepare(deps, ticker, 'onDemand')));
      return replyOf({ market, window, found, caller });
    },
    /**
     * Prepares the preview and the slabs of a market that is over, before the first request. Returns `live` if the market is
     * not over, `busy` if another process prepares it or readers wait for ClickHouse. Throws the same errors as `answer`.
     */
    prepareAhead: async (ticker: string): Promise<'ready' | 'live' | 'busy'> => {
      const market = await loadMarketContext(states, ticker, presentTime());
      if (market.times.live) return 'live';
      if (!(await prepare(deps, ticker, 'ahead'))) return 'busy';
      return (await deps.prepareSlabs(market)) === 'busy' ? 'busy' : 'ready';
    },
    stop: () => onDemandQueue.stop(),
  };
};

/** The cached preview of a market. `preview` is absent if it is too old to serve. */
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

/** False if another process prepares this market. Loads the market here, because the work may have waited. */
const prepare = (deps: PreviewDeps, ticker: string, why: keyof PreviewDeps['rows']): Promise<boolean> =>
  deps.cache.withLock(ticker, async () => {
    const madeMs = Date.now();
    const caller = backgroundCaller(prepareMsMax);
    const loaded = await loadMarketContext(deps.states, ticker, presentTime(madeMs));
    const market = await withVenueTimesOnly(deps.venueRanges, loaded, caller);
    if ((await find(deps, market, madeMs)).freshness === 'current') return;
    const [ranges = []] = await deps.venueRanges([market], caller);
    const request = { market, window: previewWindow(market), ranges };
    const body = await preparePreview(deps.rows[why], request, caller);
    await deps.cache.put({ ticker, version: market.version, from: sourceKeyOf(market), madeMs, body });
    deps.onPrepared();
  });

interface ReplyInput {
  readonly market: MarketContext;
  readonly window: Window;
  readonly found: CachedPreview;
  readonly caller: Pick<Caller, 'plan'>;
}

const replyOf = ({ market, window, found, caller }: ReplyInput): Reply => {
  const { entry, version } = market;
  const { preview, source = null } = found;
  const body = preview?.body ?? pendingPreview({ market, window });
  const origin = { cached: preview !== undefined, cache_source: source };
  const bytes = previewBytes(market, { caller, origin, body });
  const cacheable = preview !== undefined && found.freshness === 'current';
  const notices = noticesOfPreview(body);
  const noticed = notices.length === 0 ? {} : { notices };
  return new Reply(bytes, { ticker: entry.ticker, version, ...freshUntil(market, preview), cacheable, ...noticed });
};

/** The answer changes without any event at the close of a live market, and when its window has moved on. */
const freshUntil = ({ times }: MarketContext, preview: PreparedPreview | undefined): { freshUntilUs?: number } => {
  if (!times.live || preview === undefined) return {};
  return { freshUntilUs: Math.min(times.closeUs ?? Number.POSITIVE_INFINITY, (preview.madeMs + windowMsMax) * 1_000) };
};
