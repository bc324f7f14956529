import { type Bus, consumeBatches, durables, type EventMessage, type Running } from '@almanac/bus';
import { presentTime, type ArchiveState, archiveState, DomainError } from '@almanac/contracts';
import { forEachConcurrent, type Logger } from '@almanac/runtime';
import { type MarketContext, loadMarketContext, type StateCaches } from '../market-context.js';
import { type PreviewQueue, RedisUnavailableError } from './preview-queue.js';

export interface QueuePreviewsDeps {
  readonly bus: Bus;
  readonly states: StateCaches;
  readonly queue: PreviewQueue;
  readonly log: Pick<Logger, 'warn' | 'debug'>;
  /** Markets whose last observation is older are not queued. Their first reader starts the preparation. */
  readonly agoMsMax: number;
  /** Gets these markets, as an import stores them. */
  readonly onOld: (ticker: string) => void;
}

const batchMax = 500;
const concurrentReads = 16;
/** Data arrives in batches, so a preview waits until its market has not changed for this long. */
export const quietMs = 3_000;
/** A live market is queued only if its close is this near. Otherwise a later observation or its result queues it. */
const nearCloseMs = 3_600_000;

/**
 * Follows the data changes of all markets and queues their previews: soon if the market is over, after its close if
 * that is near. Old data has no preview, so the import of an entire archive neither floods ClickHouse nor evicts cached
 * previews that readers need.
 */
export const queuePreviews = (deps: QueuePreviewsDeps): Promise<Running> =>
  consumeBatches<ArchiveState>(deps.bus, {
    stream: 'EVT_ARCHIVE',
    durable: durables.timeseriesSettled,
    state: archiveState,
    batchMax,
    onFailure: (error, { subject, seq }, next) => {
      // The health check already reports that Redis is unavailable.
      const level = error instanceof RedisUnavailableError ? 'debug' : 'warn';
      deps.log[level]({ err: error, subject, seq, next }, 'a market could not be queued for its preview');
    },
    handle: (messages) => queueDue(deps, messages),
  });

const queueDue = async (deps: QueuePreviewsDeps, messages: readonly EventMessage<ArchiveState>[]): Promise<void> => {
  const nowMs = Date.now();
  const oldestUs = (nowMs - deps.agoMsMax) * 1_000;
  const tickers = new Set<string>();
  for (const { event } of messages) {
    const { ticker, max_us: maxUs } = event.state;
    if (maxUs === null) continue;
    if (maxUs >= oldestUs) tickers.add(ticker);
    else deps.onOld(ticker);
  }
  const dueTimes = new Map<string, number>();
  await forEachConcurrent(tickers, concurrentReads, async (ticker) => {
    const atMs = await dueMsOfTicker(deps, ticker, nowMs);
    if (atMs !== undefined) dueTimes.set(ticker, atMs);
  });
  const refused = await deps.queue.add(dueTimes);
  if (refused > 0)
    deps.log.warn({ refused }, 'the preview queue is full; these previews are prepared on their first request');
};

const dueMsOfTicker = async (
  { states }: Pick<QueuePreviewsDeps, 'states'>,
  ticker: string,
  nowMs: number,
): Promise<number | undefined> => {
  try {
    return previewTimeMs(await loadMarketContext(states, ticker, presentTime(nowMs)), nowMs);
  } catch (error) {
    // The market was observed before the catalogue has it. Its catalogue entry will arrive as another change.
    if (error instanceof DomainError && error.code === 'market_not_found') return undefined;
    throw error;
  }
};

/** When to prepare a market's preview, in milliseconds since the epoch. Undefined if nothing is due for now. */
const previewTimeMs = (
  { times: { live, closeUs } }: Pick<MarketContext, 'times'>,
  nowMs: number,
): number | undefined => {
  if (!live) return nowMs + quietMs;
  if (closeUs === null || closeUs / 1_000 > nowMs + nearCloseMs) return undefined;
  return closeUs / 1_000 + quietMs;
};
