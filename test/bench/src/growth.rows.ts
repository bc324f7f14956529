import { setTimeout as delay } from 'node:timers/promises';
import { previewResponse } from '@almanac/contracts';
import { selectOne } from './clickhouse-request.js';
import { addMarkets, eventOf, tickerOf } from './data.js';
import { postExport, removeObjects, whenReady } from './export-side.js';
import { getRequest, requestJson } from './http-side.js';
import { timesResult } from './load-job.js';
import { median } from './pairs.js';
import type { BenchRow, Measured, Threshold } from './row.js';
import { type BenchSize, inWords } from './size.js';
import type { BenchHarness } from './harness.js';

const services = ['commerce', 'keys', 'timeseries', 'catalog', 'export', 'webhooks', 'gateway'] as const;
const windowS = 900;

/** The figures of one size of the archive: milliseconds, and megabytes for memory. */
interface Figures {
  readonly reads: ReadonlyMap<ReadKind, Read>;
  readonly previewMs: number;
  readonly exportMs: number;
  readonly startMs: ReadonlyMap<string, number>;
  readonly memoryMb: ReadonlyMap<string, number>;
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

/** Restarts each service, so that its memory is also that of this size alone. */
const measureStarts = async ({ system }: BenchHarness): Promise<Map<string, number>> => {
  const times = new Map<string, number>();
  for (const name of services) {
    await system.end(name);
    const startedAt = performance.now();
    await system.restart(name);
    times.set(name, performance.now() - startedAt);
  }
  return times;
};

const measureAt = async (harness: BenchHarness, marketsN: number): Promise<Figures> => {
  const startMs = await measureStarts(harness);
  const reads = new Map<ReadKind, Read>();
  for (const kind of Object.keys(readKinds) as ReadKind[]) reads.set(kind, await measureReads(harness, kind, marketsN));
  const previewMs = await measurePreviews(harness, marketsN);
  const exportMs = await measureExport(harness, marketsN);
  const memoryMb = new Map((await harness.memory()).map(({ name, mostMb }) => [name, mostMb]));
  return { reads, previewMs, exportMs, startMs, memoryMb };
};

const measured = new WeakMap<BenchHarness, Promise<Figures[]>>();

/** Grows the archive and measures everything at each size, once for all rows. */
const figuresOf = (harness: BenchHarness): Promise<Figures[]> => {
  const measure = async (): Promise<Figures[]> => {
    const { shape, stages } = harness.size.growth;
    const figures: Figures[] = [];
    let from = 0;
    for (const to of stages) {
      await addMarkets(harness.system, harness.admin, shape, { from, to });
      figures.push(await measureAt(harness, to));
      from = to;
    }
    return figures;
  };
  const known = measured.get(harness) ?? measure();
  measured.set(harness, known);
  return known;
};

interface Figure {
  readonly value: number;
  /** What the ratio compares. */
  readonly relative: number;
}

const row = (
  size: BenchSize,
  name: string,
  { figure, unit, threshold = null }: { figure: (of: Figures) => Figure; unit: string; threshold?: Threshold | null },
): BenchRow => {
  const { shape, stages } = size.growth;
  const rowsAt = (marketsN: number): string => inWords(marketsN * shape.secondsN, 'M');
  const [least] = stages;
  return {
    name: `growth: ${name} at ${rowsAt(stages.at(-1) ?? least)} rows`,
    against: `at ${rowsAt(least)} rows`,
    threshold,
    unit,
    isLong: true,
    measure: async (harness): Promise<Measured> => {
      const figures = (await figuresOf(harness)).map(figure);
      const [first, last] = [figures[0], figures.at(-1)];
      if (first === undefined || last === undefined) throw new Error('no size was measured');
      const notes = figures.map(({ value }, at) => `${rowsAt(stages[at] ?? 0)} rows: ${value.toFixed(1)} ${unit}`);
      const ratio = last.relative / first.relative;
      return { ours: last.value, reference: first.value, ratio, notes: [notes.join(', ')] };
    },
  };
};

const plain = (value: number | undefined): Figure => ({ value: value ?? Number.NaN, relative: value ?? Number.NaN });

const readRow = (size: BenchSize, kind: ReadKind, threshold: Threshold | null = null): BenchRow =>
  row(size, `${kind}, p50`, {
    figure: ({ reads }) => {
      const { ms = Number.NaN, relative = Number.NaN } = reads.get(kind) ?? {};
      return { value: ms, relative };
    },
    unit: 'ms',
    threshold,
  });

/** The archive grows by 100 times, and reads, starts and memory must not grow with it. */
export const growthRows = (size: BenchSize): readonly BenchRow[] => [
  readRow(size, 'cold read', { below: 1.2 }),
  readRow(size, 'detail'),
  readRow(size, 'search'),
  row(size, 'preview until ready, p50', { figure: ({ previewMs }) => plain(previewMs), unit: 'ms' }),
  row(size, 'export of one event', { figure: ({ exportMs }) => plain(exportMs), unit: 'ms' }),
  ...services.map((name) =>
    row(size, `start of ${name}`, {
      figure: ({ startMs }) => plain(startMs.get(name)),
      unit: 'ms',
      threshold: { below: 1.5 },
    }),
  ),
  ...services.map((name) =>
    row(size, `memory of ${name}`, { figure: ({ memoryMb }) => plain(memoryMb.get(name)), unit: 'MB' }),
  ),
];
