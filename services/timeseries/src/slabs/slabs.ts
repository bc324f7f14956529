import { type HeldSlots, type ReadCaller, readSlots } from '@almanac/clickhouse';
import type { RowsRequest } from '../snapshots/archive-rows.js';
import { keysOf, type SlabMarket, slabMakes, type SlabMakesOptions } from './make-slabs.js';
import type { SlabFile } from './slab-file.js';
import type { SlabFolder } from './slab-folder.js';
import type { SlabKey } from './slab-format.js';
import type { SlabKind } from './slab-kind.js';
import type { Window } from '../window/window.js';
import { type SelectedRows, selectRows } from './select-rows.js';

export interface SlabRequest extends Omit<RowsRequest, 'ticker'> {
  readonly market: SlabMarket;
  readonly kind: SlabKind;
}

/** The text of the selected rows, each with its separator, after `lead` bytes of space. */
export interface SlabText {
  readonly selected: SelectedRows;
  readonly bytes: Buffer;
}

export interface Slabs {
  /** Undefined if a slab of the window is missing. A repeated read of a quiet market then makes it behind. */
  read(request: SlabRequest, lead: number, caller: ReadCaller): Promise<SlabText | undefined>;
  /**
   * Makes the slabs of a window of a market that is over, before its first read. False if a later attempt can help: readers
   * wait for ClickHouse, or a slab could not be made.
   */
  prepare(market: SlabMarket, window: Pick<Window, 'startUs' | 'endUs'>): Promise<boolean>;
  /** When no slab is made or waits. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const readsAtOnce = 8;

export const slabs = (options: SlabMakesOptions): Slabs => {
  const { folder, metrics } = options;
  const readerSlots: HeldSlots = readSlots({ atOnce: readsAtOnce, accountAtOnce: readsAtOnce / 2 });
  const makes = slabMakes(options);
  return {
    read: async (request, lead, caller) => {
      const keys = keysOf(request, makes.lengthIndex(request.market));
      if (keys.length === 0) return undefined;
      await makes.fetchMissing(keys, request.market);
      const isComplete = keys.every((key) => folder.has(key));
      const answer = isComplete
        ? await readerSlots.run(caller, () => readSlabs(folder, keys, { request, lead }))
        : undefined;
      metrics.onRead(answer === undefined ? 'miss' : 'hit');
      if (answer === undefined) for (const key of keys) makes.offerIfReadAgain(key, request);
      return answer;
    },
    prepare: (market, window) => prepareSlabs(makes, market, window),
    idle: () => makes.idle(),
    stop: async () => {
      await makes.stop();
      await folder.stop();
    },
  };
};

/** The form that most reads have. */
const preparedKind: SlabKind = { form: 'ndjson', numbers: 'decimal', withBook: false, withSizes: false };

/** One after the other, so that readers come first. */
const prepareSlabs = async (
  makes: ReturnType<typeof slabMakes>,
  market: SlabMarket,
  window: Pick<Window, 'startUs' | 'endUs'>,
): Promise<boolean> => {
  const source = { market, kind: preparedKind };
  for (const key of keysOf({ ...source, window }, makes.lengthIndex(market))) {
    const outcome = await makes.prepare(key, source);
    if (outcome === 'busy') return false;
    // The next length is shorter. After the shortest one, there is none.
    if (outcome === 'too large') return prepareSlabs(makes, market, window);
  }
  return true;
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
