import { accountSlots, type HeldSlots, type ReadCaller } from '@almanac/runtime';
import type { RowsRequest } from '../rows/archive-rows.js';
import { keysOf, type SlabMarket, slabMakes, type SlabMakesOptions, type SlabSource } from './make-slabs.js';
import type { SlabFile } from './slab-file.js';
import type { SlabFolder } from './slab-folder.js';
import type { SlabKey } from './slab-format.js';
import { type SlabKind, defaultKind } from './slab-kind.js';
import type { ValuesOfRows } from './slab-values.js';
import type { Window } from '../window/window.js';
import { type SelectedRows, selectRows } from './select-rows.js';

export interface SlabRequest extends Omit<RowsRequest, 'ticker'> {
  readonly market: SlabMarket;
  readonly kind: SlabKind;
}

/** The values of a market in a window of any length, of which no part is empty. */
export interface ScanRequest {
  readonly market: SlabMarket;
  readonly window: Pick<Window, 'startUs' | 'endUs'>;
  /** Gets the rows of the window in order, and before them the row before the window if the first slab has one. */
  readonly onRows: (rows: ValuesOfRows) => void;
}

/** The text of the selected rows, each with its separator, after `lead` bytes of space. */
export interface SlabText {
  readonly selected: SelectedRows;
  readonly bytes: Buffer;
}

/**
 * `busy`: a later attempt can help, since readers wait for ClickHouse, or a slab could not be made. `full`: other slabs
 * would have to leave.
 */
export type Prepared = 'ready' | 'busy' | 'full';

interface PrepareOptions {
  /** Whether the least recently used slabs may be deleted for the new ones. Default: true. */
  readonly mayDiscard?: boolean;
}

export interface Slabs {
  /** Undefined if a slab of the window is missing. A repeated read of a quiet market then makes it behind. */
  read(request: SlabRequest, lead: number, caller: ReadCaller): Promise<SlabText | undefined>;
  /**
   * Passes on the values of the windows, one market after the other. Returns the time from which the slabs of each have all
   * its rows. Undefined if a slab is missing or has no values: what was passed on is then incomplete. Missing slabs are
   * made as after `read`.
   */
  scan(requests: readonly ScanRequest[], caller: ReadCaller): Promise<readonly number[] | undefined>;
  /** Makes the slabs of a window of a market that is over, before its first read. */
  prepare(market: SlabMarket, window: Pick<Window, 'startUs' | 'endUs'>, options?: PrepareOptions): Promise<Prepared>;
  /** When no slab is made or waits. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const readsAtOnce = 8;
/** The rest of the folder stays free for markets that are read. */
const fullShare = 0.75;
/** Of one market. A longer window would make too many slabs, and ClickHouse reads it with less work for each row. */
const scannedSlabsMax = 32;

export const slabs = (options: SlabMakesOptions): Slabs => {
  const { folder, metrics } = options;
  const readerSlots: HeldSlots = accountSlots({ atOnce: readsAtOnce, accountAtOnce: readsAtOnce / 2 });
  const makes = slabMakes(options);
  /** Reads the slabs if all are there. Otherwise repeated reads make them behind. */
  const readIfThere = async <T>(
    sources: readonly SlabsOfMarket[],
    caller: ReadCaller,
    read: () => Promise<T | undefined>,
  ): Promise<T | undefined> => {
    await Promise.all(sources.map(({ keys, source }) => makes.fetchMissing(keys, source.market)));
    const isComplete = sources.every(({ keys }) => keys.every((key) => folder.has(key)));
    const answer = isComplete ? await readerSlots.run(caller, read) : undefined;
    metrics.onRead(answer === undefined ? 'miss' : 'hit');
    if (answer === undefined) {
      for (const { keys, source } of sources)
        for (const key of keys) makes.offerIfReadAgain(key, source, caller.account ?? '');
    }
    return answer;
  };
  return {
    read: async (request, lead, caller) => {
      const keys = keysOf(request, makes.lengthIndex(request.market));
      if (keys.length === 0) return undefined;
      return readIfThere([{ keys, source: request }], caller, () => readSlabs(folder, keys, { request, lead }));
    },
    scan: async (requests, caller) => {
      const sources = requests.map(({ market, window }): SlabsOfMarket => {
        const source = { market, kind: defaultKind };
        return { source, keys: keysOf({ ...source, window }, makes.lengthIndex(market)) };
      });
      if (sources.some(({ keys }) => keys.length === 0 || keys.length > scannedSlabsMax)) return undefined;
      return readIfThere(sources, caller, async () => {
        for (const [at, { keys }] of sources.entries()) {
          const request = requests[at];
          if (request === undefined || !(await scanSlabs(folder, keys, request))) return undefined;
        }
        return sources.map(({ keys }) => keys[0]?.fromUs ?? 0);
      });
    },
    prepare: (market, window, { mayDiscard = true } = {}) => {
      const hasCapacity = (): boolean => mayDiscard || folder.bytes < fullShare * folder.bytesMax;
      return prepareSlabs({ makes, hasCapacity }, market, window);
    },
    idle: () => makes.idle(),
    stop: async () => {
      await makes.stop();
      await folder.stop();
    },
  };
};

/** The slabs of a read, in order of time. */
interface SlabsOfMarket {
  readonly source: SlabSource;
  readonly keys: readonly SlabKey[];
}

/** One after the other, so that readers come first. */
const prepareSlabs = async (
  into: { readonly makes: ReturnType<typeof slabMakes>; readonly hasCapacity: () => boolean },
  market: SlabMarket,
  window: Pick<Window, 'startUs' | 'endUs'>,
): Promise<Prepared> => {
  const source = { market, kind: defaultKind };
  for (const key of keysOf({ ...source, window }, into.makes.lengthIndex(market))) {
    if (!into.hasCapacity()) return 'full';
    const outcome = await into.makes.prepare(key, source);
    if (outcome === 'busy') return 'busy';
    // The next length is shorter. After the shortest one, there is none.
    if (outcome === 'too large') return prepareSlabs(into, market, window);
  }
  return 'ready';
};

/** Undefined if a slab is unreadable, which is then deleted. */
const readSlabs = async (
  folder: SlabFolder,
  keys: readonly SlabKey[],
  { request, lead }: { readonly request: SlabRequest; readonly lead: number },
): Promise<SlabText | undefined> => {
  const files: { readonly key: SlabKey; readonly slab: SlabFile }[] = [];
  /** Of the read that runs. */
  let current = keys[0];
  try {
    for (const key of keys) {
      const slab = await folder.open(key);
      if (slab === undefined) return undefined;
      files.push({ key, slab });
    }
    const parts = [];
    for (const { key, slab } of files) {
      current = key;
      parts.push(await slab.rows(request.window));
    }
    const selected = selectRows(parts, { stepUs: request.stepMs * 1_000, limit: request.limit });
    const bytes = Buffer.allocUnsafe(selected.textLengths.reduce((sum, length) => sum + length, lead));
    let at = lead;
    for (const { slab, ranges } of selected.sources) {
      current = files.find((file) => file.slab === slab)?.key;
      await slab.copyText(ranges, bytes, at);
      at = ranges.reduce((end, range) => end + range.end - range.start, at);
    }
    return { selected, bytes };
  } catch (error) {
    if (current !== undefined) folder.discard(current, error);
    return undefined;
  } finally {
    for (const { slab } of files) slab.leave();
  }
};

/** False if a slab is missing, unreadable, which is then deleted, or has no values. */
const scanSlabs = async (
  folder: SlabFolder,
  keys: readonly SlabKey[],
  { window, onRows }: ScanRequest,
): Promise<boolean> => {
  for (const key of keys) {
    const slab = await folder.open(key);
    if (slab === undefined) return false;
    try {
      if (!slab.hasValues) return false;
      for await (const rows of slab.values(window)) onRows(rows);
    } catch (error) {
      folder.discard(key, error);
      return false;
    } finally {
      slab.leave();
    }
  }
  return true;
};
