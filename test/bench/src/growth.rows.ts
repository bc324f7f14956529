import { setTimeout as delay } from 'node:timers/promises';
import { previewResponse } from '@almanac/contracts';
import { selectOne } from './clickhouse-request.js';
import { addMarkets, eventOf, tickerOf } from './data.js';
import { postExport, removeObjects, whenReady } from './export-side.js';
import { type Growth, type GrowthFigure, oncePerRun, plain, rowsOfGrowth, type ServiceFigures } from './growth-row.js';
import { getRequest, requestJson } from './http-side.js';
import { timesResult } from './load-job.js';
import { median } from './pairs.js';
import type { BenchRow, Threshold } from './row.js';
import { restartServices } from './service-starts.js';
import { type BenchSize, inWords } from './size.js';
import type { BenchHarness } from './harness.js';

const windowS = 900;

/** The figures of one size of the archive: milliseconds, and megabytes for memory. */
interface Figures extends ServiceFigures {
  readonly reads: ReadonlyMap<ReadKind, Read>;
  readonly previewMs: number;
  readonly exportMs: number;
}

interface Read {
  readonly ms: number;
  /** Multiples of a `SELECT 1` between the reads, so that a machine whose speed varies changes no ratio. */
  readonly relative: number;
}

/** Numbers from 0 up to and without `below`, in an order that looks random and is always the same. */
const scattered = (index: number, below: number): number => (index * 7_919 + 104_729) % below;

type PathOf = (harness: BenchHarness, index: number, marketsN: number) => string;

const readKinds = {
  'cold read': {
    text: `"count":${windowS}`,
    pathOf: ({ size }, index, marketsN) => {
      const { shape } = size.growth;
      const startTs = shape.openS + scattered(index, shape.secondsN - windowS);
      const ticker = tickerOf(scattered(index, marketsN), shape);
      return `/markets/${ticker}/snapshots?start_ts=${startTs}&end_ts=${startTs + windowS}&step_ms=1000&limit=1000`;
    },
  },
  detail: {
    text: '"market":{',
    pathOf: ({ size }, index, marketsN) => `/markets/${tickerOf(scattered(index, marketsN), size.growth.shape)}`,
  },
  search: {
    text: '"hits":[',
    pathOf: (_, index, marketsN) => `/search?q=bench+price+hour+${scattered(index, marketsN)}`,
  },
} as const satisfies Record<string, { readonly text: string; readonly pathOf: PathOf }>;
type ReadKind = keyof typeof readKinds;

const measureReads = async (harness: BenchHarness, kind: ReadKind, marketsN: number): Promise<Read> => {
  const { gateway, load, size, clickhouse } = harness;
  const { text, pathOf } = readKinds[kind];
  const { warmN, readsN } = size.growth;
  const reference = await selectOne(clickhouse);
  const timesOf = (from: number, count: number) => {
    const paths = Array.from({ length: count }, (_, index) => pathOf(harness, from + index, marketsN));
    const requests = paths.map((path) => getRequest(`/api/v1${path}`, gateway.headers));
    const ours = { port: gateway.port, requests, check: { kind: 'text', text } };
    return load.send({ kind: 'times', ours, reference }, timesResult);
  };
  await timesOf(0, warmN);
  const times = await timesOf(warmN, readsN);
  return { ms: median(times.ours), relative: median(times.ours) / median(times.reference) };
};

const pollMs = 2;
const previewMsMax = 60_000;

/** From the first request of a preview until it is ready. */
const measurePreview = async ({ gateway }: BenchHarness, ticker: string): Promise<number> => {
  const startedAt = performance.now();
  for (;;) {
    const { pending } = await requestJson(previewResponse, `${gateway.url}/markets/${ticker}/preview`, gateway);
    const ms = performance.now() - startedAt;
    if (!pending) return ms;
    if (ms > previewMsMax) throw new Error(`the preview of ${ticker} is not ready`);
    await delay(pollMs);
  }
};

const measurePreviews = async (harness: BenchHarness, marketsN: number): Promise<number> => {
  const { shape, readsN } = harness.size.growth;
  const times: number[] = [];
  // From the end, which no other read of this file begins with.
  for (let index = 0; index < Math.min(readsN, marketsN) / 4; index += 1)
    times.push(await measurePreview(harness, tickerOf(marketsN - 1 - scattered(index, marketsN), shape)));
  return median(times);
};

const measureExport = async (harness: BenchHarness, marketsN: number): Promise<number> => {
  const { shape } = harness.size.growth;
  const { marketsAnEvent, secondsN } = shape;
  const lastWhole = Math.floor(marketsN / marketsAnEvent) - 1;
  const startedAt = performance.now();
  const event = eventOf(lastWhole * marketsAnEvent, shape);
  const { id } = await postExport(harness, { format: 'csv', event });
  const { row_count, storage_key } = await whenReady(harness, id);
  const ms = performance.now() - startedAt;
  if (row_count !== marketsAnEvent * secondsN) throw new Error(`the export of ${event} has ${row_count} rows`);
  await removeObjects(harness, [storage_key]);
  return ms;
};

const measureAt = async (harness: BenchHarness, marketsN: number): Promise<Figures> => {
  const startMs = await restartServices(harness);
  const reads = new Map<ReadKind, Read>();
  for (const kind of Object.keys(readKinds) as ReadKind[]) reads.set(kind, await measureReads(harness, kind, marketsN));
  const previewMs = await measurePreviews(harness, marketsN);
  const exportMs = await measureExport(harness, marketsN);
  const memoryMb = new Map((await harness.memory()).map(({ name, mostMb }) => [name, mostMb]));
  return { reads, previewMs, exportMs, startMs, memoryMb };
};

/** Grows the archive and measures everything at each size. */
const figuresOf = oncePerRun(async (harness: BenchHarness): Promise<Figures[]> => {
  const { shape, stages } = harness.size.growth;
  const figures: Figures[] = [];
  let from = 0;
  for (const to of stages) {
    await addMarkets(harness.system, harness.admin, shape, { from, to });
    figures.push(await measureAt(harness, to));
    from = to;
  }
  return figures;
});

const readRow = (kind: ReadKind, threshold?: Threshold): GrowthFigure<Figures> => ({
  name: `${kind}, p50`,
  figure: ({ reads }) => {
    const { ms = Number.NaN, relative = Number.NaN } = reads.get(kind) ?? {};
    return { value: ms, relative };
  },
  unit: 'ms',
  ...(threshold && { threshold }),
});

const rowsOfFigures: readonly GrowthFigure<Figures>[] = [
  readRow('cold read', { below: 1.2 }),
  readRow('detail'),
  readRow('search'),
  { name: 'preview until ready, p50', figure: ({ previewMs }) => plain(previewMs), unit: 'ms' },
  { name: 'export of one event', figure: ({ exportMs }) => plain(exportMs), unit: 'ms' },
];

/** The archive grows by 100 times, and reads, starts and memory must not grow with it. */
export const growthRows = ({ growth: { shape, stages } }: BenchSize): readonly BenchRow[] => {
  const sizes = stages.map((marketsN) => `${inWords(marketsN * shape.secondsN, 'M')} rows`);
  const growth: Growth<Figures> = { title: 'growth', sizes, figuresOf };
  return rowsOfGrowth(growth, rowsOfFigures);
};
