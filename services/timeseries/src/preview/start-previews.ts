import { type Bus, ensureDeadLetters } from '@almanac/bus';
import { type ClickHouse } from '@almanac/clickhouse';
import { type AccountSlots, counter, fewerSlots, type Runtime } from '@almanac/runtime';
import { presentTime } from '@almanac/contracts';
import { connectRedis } from '@almanac/redis';
import type { TimeseriesConfig } from '../config.js';
import { loadMarketContext, type StateCaches } from '../market-context.js';
import { archiveRows } from '../rows/archive-rows.js';
import { importedMarkets } from '../slabs/imported-markets.js';
import { slabMarketOf } from '../slabs/make-slabs.js';
import type { Prepared, Slabs } from '../slabs/slabs.js';
import { previewQueue } from './preview-queue.js';
import { queuePreviews } from './queue-previews.reactor.js';
import { previewCache } from './preview-cache.js';
import type { VenueRanges } from '../candles/venue-ranges.js';
import { previewWindow } from './prepare-preview.js';
import { prepareMsMax, type Previews, previews } from './preview.query.js';
import { startPreviewWorker } from './preview-worker.js';

export interface StartPreviewsDeps {
  readonly venueRanges: VenueRanges;
  readonly bus: Bus;
  readonly clickhouse: ClickHouse;
  readonly slots: AccountSlots;
  readonly states: StateCaches;
  readonly slabs: Slabs | undefined;
}

const mebibyte = 1_048_576;
const hourMs = 3_600_000;
/** Locks and claims last longer than the preparation that they protect. */
const holdMs = prepareMsMax + 5_000;

export const startPreviews = async (
  config: TimeseriesConfig,
  runtime: Runtime,
  { bus, clickhouse, slots, states, slabs, venueRanges }: StartPreviewsDeps,
): Promise<Previews> => {
  const { log, health, onStop } = runtime;
  const redis = connectRedis({
    config,
    runtime,
    without: 'this process caches previews only in its own memory',
  });
  onStop('redis', () => redis.disconnect());
  const prepared = counter('almanac_previews_prepared_total', 'previews made from stored rows', [], health.metrics);
  const bytesMax = config.PREVIEWS_MB * mebibyte;
  const made = previews({
    states,
    venueRanges,
    // Half of the slots stay free for snapshots. Preparations ahead of demand read one at a time.
    rows: {
      onDemand: archiveRows(clickhouse, fewerSlots(slots, Math.max(1, Math.floor(config.READS_CONCURRENT / 2)))),
      ahead: archiveRows(clickhouse, fewerSlots(slots, 1)),
    },
    cache: previewCache({ redis, log, bytesMax, ttlS: config.PREVIEW_TTL_S, lockMs: holdMs }),
    log,
    behindMsMax: config.PREVIEW_MAX_AGE_S * 1_000,
    atOnce: config.PREVIEWS_CONCURRENT,
    waitingMax: config.PREVIEWS_WAITING,
    onPrepared: () => prepared.inc(),
    prepareSlabs: async (market) =>
      slabs === undefined || market.stored === null
        ? 'ready'
        : slabs.prepare(slabMarketOf(market), previewWindow(market)),
  });
  onStop('previews', () => made.stop());
  if (config.PREVIEW_AHEAD_H > 0) {
    const queue = previewQueue({ redis, max: config.PREVIEWS_QUEUED, leaseMs: holdMs });
    const preparing = startPreviewWorker({ queue, previews: made, log });
    onStop('due previews', () => preparing.stop());
    await ensureDeadLetters(bus);
    const imported = importedMarkets({ prepare: (ticker) => prepareImported({ states, slabs }, ticker), log });
    onStop('imported markets', () => imported.stop());
    const agoMsMax = config.PREVIEW_AHEAD_H * hourMs;
    const noting = await queuePreviews({ bus, states, queue, log, agoMsMax, onOld: (ticker) => imported.note(ticker) });
    onStop('settled markets', () => noting.stop());
  }
  return made;
};

/** Makes the slabs of all rows of an imported market. One that was just observed has none. */
const prepareImported = async (
  { states, slabs }: Pick<StartPreviewsDeps, 'states' | 'slabs'>,
  ticker: string,
): Promise<Prepared> => {
  if (slabs === undefined) return 'full';
  const context = await loadMarketContext(states, ticker, presentTime());
  const { stored } = context;
  const market = slabMarketOf(context);
  if (stored === null || !market.isQuiet) return 'ready';
  return slabs.prepare(market, { startUs: stored.minUs, endUs: stored.maxUs + 1 }, { mayDiscard: false });
};
