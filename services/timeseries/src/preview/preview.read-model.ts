import { Reply } from '@almanac/bus';
import type { Logger } from '@almanac/runtime';
import { freshUntil, type KnownMarket, knownMarket, type KnownStates } from '../known-market.js';
import type { ArchiveRows } from '../snapshots/archive-rows.js';
import type { Asker } from '../snapshots/snapshots.read-model.js';
import { checkedBounds, windowOf } from '../window/window.js';
import { pendingPreview, preparePreview, type PreviewAsk } from './prepare-preview.js';
import type { PreviewCache, PreviewIdentity, ReadyPreview } from './preview-cache.js';

export interface PreviewParts {
  readonly states: KnownStates;
  readonly rows: ArchiveRows;
  readonly cache: PreviewCache;
  readonly log: Pick<Logger, 'error'>;
  /** Told of each preview that was prepared. */
  readonly onPrepared: () => void;
}

export interface Previews {
  answer(ticker: string, asker: Pick<Asker, 'plan'>): Promise<Reply>;
  /** Resolves when no preparation is under way. */
  settled(): Promise<void>;
}

/** A preparation is given up after this; the lock outlives it. */
export const prepareMsMax = 20_000;

/** Previews: a ready one of the market's data version, or a pending one while it is prepared, once. */
export const previews = (parts: PreviewParts): Previews => {
  const preparing = new Map<string, Promise<void>>();

  const prepareOnce = (identity: PreviewIdentity, ask: PreviewAsk): void => {
    const key = JSON.stringify(identity);
    if (preparing.has(key)) return;
    const work = prepare(parts, identity, ask)
      .catch((error: unknown) => parts.log.error({ err: error, ...identity }, 'a preview could not be prepared'))
      .finally(() => preparing.delete(key));
    preparing.set(key, work);
  };
  return {
    answer: async (ticker, asker) => {
      const market = await knownMarket(parts.states, ticker, Date.now() * 1_000);
      const { version, times } = market;
      const ask = { market, window: windowOf(checkedBounds({ stepMs: 0, preview: false }), times) };
      const identity = { ticker, version, live: times.live };
      const ready = await parts.cache.get(identity);
      if (ready === undefined) prepareOnce(identity, ask);
      return replyOf(market, asker, ready ?? { body: pendingPreview(ask), source: null });
    },
    settled: async () => void (await Promise.all(preparing.values())),
  };
};

const prepare = (parts: PreviewParts, identity: PreviewIdentity, ask: PreviewAsk): Promise<void> =>
  parts.cache.alone(identity, async () => {
    // Another process may have finished between our look and our lock.
    if ((await parts.cache.get(identity)) !== undefined) return;
    const body = await preparePreview(parts.rows, ask, AbortSignal.timeout(prepareMsMax));
    await parts.cache.put(identity, body);
    parts.onPrepared();
  });

/** The kept bytes are an object; the fields that depend on the moment or the asker are spliced in at its front. */
const replyOf = (
  market: KnownMarket,
  asker: Pick<Asker, 'plan'>,
  { body, source }: { body: Buffer; source: ReadyPreview['source'] | null },
): Reply => {
  const { shown, version } = market;
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
    cached: source !== null,
    cache_source: source,
    schema: 3,
    style: shown.shape === 'rolling' ? 'rolling' : 'event',
  };
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(front).slice(0, -1)},`), body.subarray(1)]);
  return new Reply(bytes, { ticker: shown.ticker, version, ...freshUntil(market), cacheable: source !== null });
};
