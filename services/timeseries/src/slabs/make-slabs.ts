import { type ClickHouse, stream } from '@almanac/clickhouse';
import { dayUs } from '@almanac/contracts';
import {
  type AccountSlots,
  backgroundCaller,
  entryCache,
  type Logger,
  type ReadCaller,
  withTimeout,
} from '@almanac/runtime';
import type { MarketContext } from '../market-context.js';
import { preparations } from '../preparations.js';
import { marketParams } from '../rows/archive-rows.js';
import type { SlabFolder } from './slab-folder.js';
import type { SlabKey } from './slab-format.js';
import { nameOfKind, separatorOf, type SlabKind, slabSql, textVersion } from './slab-kind.js';
import type { SlabMetrics } from './slab-metrics.js';
import { newMark, rowsOfAnswer } from './slab-rows.js';
import type { SlabStore } from './slab-store.js';
import { indexOfLength, lengthOf, slabRangesOf, slabLengths } from './slab-ranges.js';
import { SlabTooLarge } from './write-slab.js';

/** A market whose slabs may be read and made. */
export interface SlabMarket {
  readonly ticker: string;
  readonly version: number;
  /** Between the first and the last of its observations. */
  readonly recordedUs: number;
  /** Whether its data is not expected to change soon. Slabs of other markets would be useless at once. */
  readonly isQuiet: boolean;
  /** Its slabs are shared with all processes. */
  readonly isOver: boolean;
  /** Observed in the last days, so that its slab was probably made when it was over. */
  readonly isRecent: boolean;
  /** These repeat in each row of CSV. */
  readonly eventTicker: string | null;
  readonly series: string | null;
}

/** What a slab is made of. */
export interface SlabSource {
  readonly market: SlabMarket;
  readonly kind: SlabKind;
}

export interface SlabMakesOptions {
  readonly clickhouse: ClickHouse;
  readonly folder: SlabFolder;
  /** Slabs of all processes. Undefined without an object store. */
  readonly store?: SlabStore | undefined;
  /** For the reads of ClickHouse that make slabs. */
  readonly slots: AccountSlots;
  readonly metrics: SlabMetrics;
  readonly log: Pick<Logger, 'warn'>;
  /** Whether readers wait for ClickHouse. No slab is made ahead then. */
  readonly isBusy?: () => boolean;
  /** Of one slab. A market with more bytes has slabs of shorter time ranges. Default: 64 MiB. */
  readonly slabBytesMax?: number;
  /** No slab is made for this long after one failed, such as on a full disk. Default: 30 s. */
  readonly pauseMs?: number;
  /** A read waits at most this long for a slab in the object store, which then arrives behind. Default: 1 s. */
  readonly fetchMs?: number;
}

const makeMsMax = 60_000;
const makesAtOnce = 2;
const makesWaitingMax = 500;
/** Keys that were read once, about 100 bytes each. */
const readOnceMax = 50_000;
/** A market is quiet if its last observation is this old, also if nothing says when it closes. */
const quietUs = 600_000_000;
const recentUs = 7 * dayUs;

export const slabMarketOf = ({ state, version, stored, times }: MarketContext, nowMs = Date.now()): SlabMarket => {
  const silentUs = stored === null ? 0 : nowMs * 1_000 - stored.maxUs;
  return {
    ticker: state.ticker,
    version,
    recordedUs: stored === null ? 0 : stored.maxUs - stored.minUs,
    isQuiet: !times.live || silentUs > quietUs,
    isOver: !times.live,
    isRecent: silentUs < recentUs,
    eventTicker: state.event_ticker,
    series: state.series,
  };
};

/** Makes each slab once at a time: from the object store, or else from ClickHouse. */
const slabMaker = (options: SlabMakesOptions, stopping: AbortSignal) => {
  const { folder, store, metrics } = options;
  /** Markets whose slabs of the usual length are too large, with the next shorter one. */
  const shorter = entryCache<string, number>(readOnceMax);
  const running = new Map<string, Promise<void>>();
  /** The index in `slabLengths` of a market's slabs. */
  const lengthIndex = ({ ticker, recordedUs }: SlabMarket): number =>
    Math.max(lengthOf(recordedUs), shorter.get(ticker) ?? 0);
  const fetch = async (key: SlabKey, { isOver, isRecent }: SlabMarket): Promise<boolean> =>
    isOver && (await store?.fetch(key, isRecent)) === 'found';
  const makeNow = async (key: SlabKey, source: SlabSource): Promise<void> => {
    if (folder.has(key) || (await fetch(key, source.market))) return;
    try {
      await makeSlab(options, key, { ...source, stopping });
      metrics.onMade();
      if (source.market.isOver) store?.offer(key);
    } catch (error) {
      if (error instanceof SlabTooLarge) shorter.set(key.ticker, indexOfLength(key.toUs - key.fromUs) + 1);
      throw error;
    }
  };
  return {
    lengthIndex,
    fetch,
    make: (key: SlabKey, source: SlabSource): Promise<void> => {
      const name = `${key.version} ${nameOf(key)}`;
      const known = running.get(name);
      if (known !== undefined) return known;
      const made = makeNow(key, source).finally(() => running.delete(name));
      running.set(name, made);
      return made;
    },
  };
};

const nameOf = ({ ticker, kind, fromUs, repeated }: SlabKey): string =>
  JSON.stringify([ticker, kind, fromUs, repeated]);

/** Makes slabs behind the reads of them, few at once. */
export const slabMakes = (options: SlabMakesOptions) => {
  const { folder, store, metrics, log, pauseMs = 30_000, fetchMs = 1_000, isBusy = () => false } = options;
  const readOnce = entryCache<string, number>(readOnceMax);
  const stopping = new AbortController();
  const { lengthIndex, fetch, make } = slabMaker(options, stopping.signal);
  let pausedUntilMs = 0;
  const onFailure = (error: unknown, name: string): void => {
    if (error instanceof SlabTooLarge || stopping.signal.aborted) return;
    pausedUntilMs = Date.now() + pauseMs;
    metrics.onFailed();
    log.warn({ err: error, slab: name, pauseMs }, 'a slab could not be made; its rows come from ClickHouse');
  };
  const making = preparations({ atOnce: makesAtOnce, waitingMax: makesWaitingMax, onFailure });
  return {
    lengthIndex,
    /** Makes a slab before its first read. `busy`: readers wait for ClickHouse, or a slab could not be made. */
    prepare: async (key: SlabKey, source: SlabSource): Promise<'ready' | 'busy' | 'too large'> => {
      if (folder.has(key)) return 'ready';
      if (isBusy() || Date.now() < pausedUntilMs || stopping.signal.aborted) return 'busy';
      try {
        await make(key, source);
        return 'ready';
      } catch (error) {
        onFailure(error, nameOf(key));
        return error instanceof SlabTooLarge ? 'too large' : 'busy';
      }
    },
    /** Waits a short time for the slabs that other processes made. */
    fetchMissing: async (keys: readonly SlabKey[], market: SlabMarket): Promise<void> => {
      if (store === undefined || !market.isOver) return;
      const wanted = keys.filter((key) => !folder.has(key) && store.isPromising(key, market.isRecent));
      await Promise.all(wanted.map((key) => withTimeout(fetchMs, fetch(key, market), () => false)));
    },
    /** One read of a market says little about the next one, and a slab has more rows than most windows. */
    offerIfReadAgain: (key: SlabKey, source: SlabSource, account: string): void => {
      if (!source.market.isQuiet || folder.has(key)) return;
      const name = nameOf(key);
      if (readOnce.get(name) !== key.version) readOnce.set(name, key.version);
      else if (Date.now() >= pausedUntilMs) making.offer(name, account, () => make(key, source));
    },
    idle: async () => {
      await making.idle();
      await store?.idle();
    },
    stop: async (): Promise<void> => {
      stopping.abort();
      await making.stop();
      await store?.stop();
    },
  };
};

/** The slabs of a window, in order of time. None if even the shortest ones of the market are too large. */
export const keysOf = (
  { market, kind, window }: SlabSource & { readonly window: { readonly startUs: number; readonly endUs: number } },
  lengthIndex: number,
): SlabKey[] => {
  const lengthUs = slabLengths[lengthIndex];
  if (lengthUs === undefined || window.endUs <= window.startUs) return [];
  return slabRangesOf(window, lengthUs).map((range) => keyOf(market, kind, range));
};

const keyOf = (market: SlabMarket, kind: SlabKind, range: Pick<SlabKey, 'fromUs' | 'toUs'>): SlabKey => ({
  ticker: market.ticker,
  version: market.version,
  kind: nameOfKind(kind),
  ...range,
  repeated: kind.form === 'csv' ? JSON.stringify([market.eventTicker, market.series]) : '',
  textVersion,
});

const makeSlab = (
  { clickhouse, slots, folder, slabBytesMax = 64 * 1_048_576 }: SlabMakesOptions,
  key: SlabKey,
  { market, kind, stopping }: SlabSource & { readonly stopping: AbortSignal },
): Promise<void> => {
  const background = backgroundCaller(makeMsMax);
  const caller: ReadCaller = {
    account: undefined,
    signal: AbortSignal.any([background.signal, stopping]),
    get remainingMs() {
      return background.remainingMs;
    },
  };
  return slots.run(caller, async () => {
    const mark = newMark();
    const params = { ticker: key.ticker, start_us: key.fromUs, end_us: key.toUs, ...marketParams(market) };
    const answer = await stream(clickhouse, { sql: slabSql(kind, mark), params, signal: caller.signal });
    const rows = rowsOfAnswer(answer, mark);
    await folder.write({ key, separator: separatorOf(kind), rows, bytesMax: slabBytesMax });
  });
};
