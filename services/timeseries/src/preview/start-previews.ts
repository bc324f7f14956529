import { type Bus, ensureDeadLetters } from '@almanac/bus';
import type { ClickHouse } from '@almanac/clickhouse';
import { counter, type Runtime } from '@almanac/runtime';
import { connectRedis } from '@almanac/redis';
import type { TimeseriesConfig } from '../config.js';
import type { KnownStates } from '../known-market.js';
import { archiveRows } from '../snapshots/archive-rows.js';
import type { ReadSlots } from '../snapshots/read-slots.js';
import { dueMarkets } from './due-markets.js';
import { fewerSlots } from './fewer-slots.js';
import { noteSettled } from './note-settled.reactor.js';
import { previewCache } from './preview-cache.js';
import { prepareMsMax, type Previews, previews } from './preview.read-model.js';
import { prepareDue } from './prepare-due.js';

export interface StartPreviewsParts {
  readonly bus: Bus;
  readonly clickhouse: ClickHouse;
  /** All reads of this process. */
  readonly slots: ReadSlots;
  readonly states: KnownStates;
}

const mebibyte = 1_048_576;
const hourMs = 3_600_000;
/** A lock and a claim outlive the preparation that they are held for. */
const holdMs = prepareMsMax + 5_000;

/** The previews of a process: those that are asked for, and those that nobody had to ask for. */
export const startPreviews = async (
  config: TimeseriesConfig,
  runtime: Runtime,
  { bus, clickhouse, slots, states }: StartPreviewsParts,
): Promise<Previews> => {
  const { log, health, onStop } = runtime;
  const redis = connectRedis({
    config,
    runtime,
    without: 'previews are kept in the memory of this process alone',
  });
  onStop('redis', () => redis.disconnect());
  const prepared = counter('almanac_previews_prepared_total', 'previews made from stored rows', [], health.metrics);
  const bytesMax = config.PREVIEWS_MB * mebibyte;
  const made = previews({
    states,
    // Snapshots keep half of the slots, whatever is prepared; ahead of readers one read at a time is at work.
    rows: {
      asked: archiveRows(clickhouse, fewerSlots(slots, Math.max(1, Math.floor(config.READS_AT_ONCE / 2)))),
      ahead: archiveRows(clickhouse, fewerSlots(slots, 1)),
    },
    cache: previewCache({ redis, log, bytesMax, ttlS: config.PREVIEW_TTL_S, lockMs: holdMs }),
    log,
    behindMsMax: config.PREVIEW_BEHIND_S * 1_000,
    atOnce: config.PREVIEWS_AT_ONCE,
    waitingMax: config.PREVIEWS_WAITING,
    onPrepared: () => prepared.inc(),
  });
  onStop('previews', () => made.stop());
  if (config.PREVIEW_AHEAD_H > 0) {
    const due = dueMarkets({ redis, max: config.PREVIEWS_AHEAD, leaseMs: holdMs });
    const preparing = prepareDue({ due, previews: made, log });
    onStop('due previews', () => preparing.stop());
    await ensureDeadLetters(bus);
    const noting = await noteSettled({ bus, states, due, log, agoMsMax: config.PREVIEW_AHEAD_H * hourMs });
    onStop('settled markets', () => noting.stop());
  }
  return made;
};
