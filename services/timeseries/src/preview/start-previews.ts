import { type Bus, ensureDeadLetters } from '@almanac/bus';
import { type ClickHouse } from '@almanac/clickhouse';
import { type AccountSlots, counter, fewerSlots, type Runtime } from '@almanac/runtime';
import { connectRedis } from '@almanac/redis';
import type { TimeseriesConfig } from '../config.js';
import type { StateCaches } from '../market-context.js';
import { archiveRows } from '../rows/archive-rows.js';
import { slabMarketOf } from '../slabs/make-slabs.js';
import type { Slabs } from '../slabs/slabs.js';
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
      slabs === undefined || market.stored === null || slabs.prepare(slabMarketOf(market), previewWindow(market)),
  });
  onStop('previews', () => made.stop());
  if (config.PREVIEW_AHEAD_H > 0) {
    const queue = previewQueue({ redis, max: config.PREVIEWS_QUEUED, leaseMs: holdMs });
    const preparing = startPreviewWorker({ queue, previews: made, log });
    onStop('due previews', () => preparing.stop());
    await ensureDeadLetters(bus);
    const noting = await queuePreviews({ bus, states, queue, log, agoMsMax: config.PREVIEW_AHEAD_H * hourMs });
    onStop('settled markets', () => noting.stop());
  }
  return made;
};
