import { marketsCopied } from './catalogue.rows.js';
import {
  type Figure,
  type Growth,
  type GrowthFigure,
  oncePerRun,
  plain,
  rowsOfGrowth,
  type ServiceFigures,
} from './growth-row.js';
import type { BenchHarness } from './harness.js';
import { median } from './pairs.js';
import { listings, marketsByTicker, quantile, type QuerySet, searches, seriesById, timesOf } from './query-sets.js';
import type { BenchRow } from './row.js';
import { restartServices } from './service-starts.js';
import { type BenchSize, inWords } from './size.js';

const querySets = {
  search: searches,
  'market detail': marketsByTicker,
  'markets of a filter': listings,
  'series by id': seriesById,
} as const satisfies Record<string, QuerySet>;
type QueryName = keyof typeof querySets;

interface Figures extends ServiceFigures {
  readonly reads: ReadonlyMap<QueryName, { readonly p50: Figure; readonly p95: Figure }>;
}

/** Multiples of a `SELECT 1` between the queries, so that a machine whose speed varies changes no ratio. */
const readFigures = async (harness: BenchHarness, name: QueryName) => {
  const { ours, reference } = await timesOf(harness, querySets[name]);
  const figureAt = (part: number): Figure => {
    const value = quantile(ours, part);
    return { value, relative: value / median(reference) };
  };
  return { p50: figureAt(0.5), p95: figureAt(0.95) };
};

const figuresAt = async (harness: BenchHarness): Promise<Figures> => {
  await marketsCopied(harness);
  const startMs = await restartServices(harness);
  await marketsCopied(harness);
  const reads = new Map<QueryName, Awaited<ReturnType<typeof readFigures>>>();
  for (const name of Object.keys(querySets) as QueryName[]) reads.set(name, await readFigures(harness, name));
  const memoryMb = new Map((await harness.memory()).map(({ name, mostMb }) => [name, mostMb]));
  return { reads, startMs, memoryMb };
};

const figuresOf = oncePerRun(async (harness: BenchHarness): Promise<Figures[]> => {
  const { size } = harness;
  const before = await figuresAt(harness);
  return [before, await harness.withSize({ ...size, catalogue: size.grownCatalogue }, figuresAt)];
});

const readRow = (name: QueryName, part: 'p50' | 'p95'): GrowthFigure<Figures> => ({
  name: `${name}, ${part}`,
  figure: ({ reads }) => reads.get(name)?.[part] ?? plain(undefined),
  unit: 'ms',
});

const queryNames = Object.keys(querySets) as QueryName[];

const rowsOfFigures: readonly GrowthFigure<Figures>[] = queryNames.flatMap((name) => [
  readRow(name, 'p50'),
  readRow(name, 'p95'),
]);

/** The catalogue has several times as many markets, and reads, starts and memory must not grow with it. */
export const catalogueGrowthRows = ({ catalogue, grownCatalogue }: BenchSize): readonly BenchRow[] => {
  const sizes = [catalogue, grownCatalogue].map(({ marketsN }) => `${inWords(marketsN, 'M')} markets`);
  const growth: Growth<Figures> = { title: 'catalogue growth', sizes, figuresOf };
  return rowsOfGrowth(growth, rowsOfFigures);
};
