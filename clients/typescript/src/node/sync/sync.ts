import { basename } from 'node:path';
import { exportFileOf } from '../../exports/file-bytes.js';
import { AlmanacError, ApiError } from '../../errors.js';
import type { eventsOf } from '../../resources/catalogue.js';
import type { exportsOf } from '../../resources/exports.js';
import type { marketsOf } from '../../resources/markets.js';
import type { CallOptions, Export, Market } from '../../types.js';
import type { SaveFile } from '../save-file.js';
import { marketsInCsv } from './csv-markets.js';
import { type CopiedFile, type LocalCopy, openCopy, pathOf, replaceFile, saveCopy } from './local-copy.js';

export interface SyncOptions {
  /** Only of these series. Default: all. */
  readonly series?: readonly string[] | undefined;
  /** Default: parquet. */
  readonly format?: 'parquet' | 'csv' | 'json' | 'jsonl.gz' | undefined;
  /** Default: snapshots and settlement. */
  readonly streams?: readonly ('snapshots' | 'settlement' | 'l2' | 'trades' | 'sizes' | 'candles')[] | undefined;
  /** Also events that are not over yet. Default: they are left for a later call. */
  readonly live?: boolean | undefined;
  /** Also exports what has not changed in the catalogue. */
  readonly recheck?: boolean | undefined;
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `live` are events that are not over yet: the next sync tries them again. */
export interface SyncResult {
  readonly downloaded: number;
  readonly unchanged: number;
  readonly live: number;
}

export interface SyncParts {
  readonly save: SaveFile;
  readonly markets: ReturnType<typeof marketsOf>;
  readonly events: ReturnType<typeof eventsOf>;
  readonly exports: ReturnType<typeof exportsOf>;
}

/** A market without an event is exported by itself. */
const marketPrefix = 'market:';
const changesLimit = 200;

/** Keeps a local copy up to date. The next call goes on where this one ended, also after an error. */
export const syncCopy = async (parts: SyncParts, folder: string, options: SyncOptions): Promise<SyncResult> => {
  const { series = [], format = 'parquet', streams = ['snapshots', 'settlement'], signal } = options;
  const copy = await openCopy(folder, { series: sorted(series), format, streams });
  const call = { signal };
  await findChanges(parts, copy, call);
  const known = options.recheck === true ? Object.keys(copy.files) : [];
  const targets = sorted([...copy.pending, ...known]);
  const counts = { downloaded: 0, unchanged: 0, live: 0 };
  for (const [done, target] of targets.entries()) {
    options.onProgress?.({ done, total: targets.length });
    const live = await isLive(parts, target, call);
    if (live) counts.live += 1;
    if (live && options.live !== true) continue;
    counts[await fetchTarget(parts, { copy, target, call })] += 1;
    if (!live) copy.pending = copy.pending.filter((each) => each !== target);
    await saveCopy(copy);
  }
  options.onProgress?.({ done: targets.length, total: targets.length });
  await saveCopy(copy);
  return counts;
};

const sorted = (targets: readonly string[]): string[] =>
  // oxlint-disable-next-line unicorn/no-array-sort -- Node 18 has no toSorted.
  [...new Set(targets)].sort();

/** Stores the targets of each page together with its cursor, so that no change is lost or found twice. */
const findChanges = async ({ markets }: SyncParts, copy: LocalCopy, call: CallOptions): Promise<void> => {
  for (const series of copy.options.series.length === 0 ? [undefined] : copy.options.series) {
    const key = series ?? '';
    const pages = markets.changesSince(0, { series, cursor: copy.cursors[key], limit: changesLimit }, call);
    for await (const page of refusedAsOf(pages.pages())) {
      copy.pending = sorted([...copy.pending, ...page.markets.map(targetOf)]);
      if (page.next_cursor !== null) copy.cursors[key] = page.next_cursor;
      await saveCopy(copy);
    }
  }
};

/** Changes are of the present, so there are none for a client or a key with `as_of`. Nothing was read by then. */
async function* refusedAsOf<Page>(pages: AsyncIterable<Page>): AsyncGenerator<Page, void, undefined> {
  try {
    yield* pages;
  } catch (error) {
    if (!(error instanceof ApiError) || !/\bas_of\b.*changed_since_ts/.test(error.detail)) throw error;
    throw new AlmanacError({
      code: 'as_of_unsupported',
      detail: 'A local copy follows the changes of the archive, which cannot be read as of a time.',
      remedy: 'Sync with a client and a key without as_of, or create exports with as_of one by one.',
      cause: error,
    });
  }
}

const targetOf = ({ event_ticker, ticker }: Market): string => event_ticker ?? `${marketPrefix}${ticker}`;

const tickerOf = (target: string): string | undefined =>
  target.startsWith(marketPrefix) ? target.slice(marketPrefix.length) : undefined;

const isLive = async ({ markets, events }: SyncParts, target: string, call: CallOptions): Promise<boolean> => {
  const ticker = tickerOf(target);
  if (ticker !== undefined) return (await markets.get(ticker, {}, call)).market.status === 'live';
  return (await events.get(target, { limit: 1 }, call)).event.live_n > 0;
};

interface Target {
  readonly copy: LocalCopy;
  readonly target: string;
  readonly call: CallOptions;
}

/** Exports a target, and downloads the file only if its content is another one. */
const fetchTarget = async (
  { save, exports }: SyncParts,
  { copy, target, call }: Target,
): Promise<'downloaded' | 'unchanged'> => {
  const ticker = tickerOf(target);
  const what = ticker === undefined ? { event: target } : { ticker };
  const { streams, format } = copy.options as Pick<SyncOptions, 'streams' | 'format'>;
  const request = { ...what, ...(streams === undefined ? {} : { streams: [...streams] }), ...(format && { format }) };
  const ready = await exports.create(request, call).wait(call);
  const file = exportFileOf(ready);
  const path = pathOf(copy, target, file.sha256);
  const { resumedFrom } = await save(file, path, { ...call, overwrite: true });
  await replaceFile(copy, target, await entryOf(ready, path));
  return resumedFrom === file.bytes ? 'unchanged' : 'downloaded';
};

const micros = (seconds: number): number => Math.round(seconds * 1e6);

const entryOf = async ({ sha256, bytes, dataset_id, manifest }: Export, path: string): Promise<CopiedFile> => ({
  file: basename(path),
  sha256: sha256 ?? '',
  bytes,
  dataset_id: dataset_id ?? null,
  markets: path.endsWith('.csv')
    ? await marketsInCsv(path)
    : (manifest?.markets ?? []).map(({ ticker }) => [ticker, null, 0] as const),
  gaps: (manifest?.gaps ?? []).map(
    ({ start_ts, end_ts, ticker, reason, missing }) =>
      [micros(start_ts), ticker, end_ts === null ? null : micros(end_ts), reason, missing] as const,
  ),
  gaps_n: manifest?.gaps_n ?? 0,
});
