import { processNames } from '@almanac/contracts';
import { addMarkets, type Shape, tickerOf } from './data.js';
import type { BenchHarness } from './harness.js';
import { median, quantile } from './pairs.js';
import { listings, marketsByTicker, type QuerySet, searches, seriesById, timesOf } from './query-sets.js';
import type { BenchEntry, Measured } from './row.js';
import { type BenchSize, inWords } from './size.js';
import { snapshotsPath, windowAt } from './windows.js';

interface Figure {
  readonly value: number;
  /** What the ratio compares: for a read, multiples of a `SELECT 1` in the same minute, since machines vary. */
  readonly relative: number;
  readonly unit: 'ms' | 'MB';
}

/** All figures at one size, by name. */
type Figures = ReadonlyMap<string, Figure>;

const plain = (value: number, unit: Figure['unit']): Figure => ({ value, relative: value, unit });

/** Compares one figure at the largest size with the smallest. The notes have all figures at all sizes. */
const grown = (all: readonly Figures[], name: string): Measured => {
  const [first, last] = [all[0], all.at(-1)];
  const ratioOf = (of: string): number => (last?.get(of)?.relative ?? NaN) / (first?.get(of)?.relative ?? NaN);
  const notes = [...(last ?? [])].map(([of, { unit }]) => {
    const values = all.map((figures) => figures.get(of)?.value.toFixed(1).padStart(8) ?? '').join(' ');
    return `  ${of.padEnd(28)} ${values} ${unit}, ratio ${ratioOf(of).toFixed(2)}`;
  });
  const [ours, reference] = [last?.get(name)?.value ?? NaN, first?.get(name)?.value ?? NaN];
  return { ours, reference, ratio: ratioOf(name), notes: ['', ...notes] };
};

/** Restarts each service, so that its memory is also that of this size alone, then measures the reads. */
const figuresOf = async (harness: BenchHarness, querySets: Readonly<Record<string, QuerySet>>): Promise<Figures> => {
  await harness.caughtUp();
  const starts: [string, Figure][] = [];
  for (const name of processNames) {
    await harness.system.end(name);
    const startedAt = performance.now();
    await harness.system.restart(name);
    starts.push([`start of ${name}`, plain(performance.now() - startedAt, 'ms')]);
  }
  await harness.caughtUp();
  const reads: [string, Figure][] = [];
  for (const [name, querySet] of Object.entries(querySets)) {
    const { ours, reference } = await timesOf(harness, querySet);
    for (const percent of [50, 95]) {
      const value = quantile(ours, percent / 100);
      reads.push([`${name}, p${percent}`, { value, relative: value / median(reference), unit: 'ms' }]);
    }
  }
  const memory = (await harness.memory()).map(
    ({ name, mostMb }) => [`memory of ${name}`, plain(mostMb, 'MB')] as const,
  );
  return new Map([...reads, ...starts, ...memory]);
};

/** Numbers from 0 up to and without `below`, in an order that looks random and is always the same. */
const scattered = (index: number, below: number): number => (index * 7_919 + 104_729) % below;

/** Reads of the first `marketsN` markets. */
const archiveReads = (shape: Shape, marketsN: number): Readonly<Record<string, QuerySet>> => {
  const querySet = (text: string, pathOf: (index: number) => string): QuerySet => ({
    text,
    queriesOf: (_, most) => Array.from({ length: most }, (_item, index) => ({ kind: '', path: pathOf(index) })),
  });
  return {
    'cold read': querySet('"count":', (index) =>
      snapshotsPath(windowAt(scattered(index, marketsN), { ...shape, marketsN })),
    ),
    detail: querySet('"market":{', (index) => `/markets/${tickerOf(scattered(index, marketsN), shape)}`),
    search: querySet('"hits":[', (index) => `/search?q=bench+price+hour+${scattered(index, marketsN)}`),
  };
};

const archiveGrowth = async (harness: BenchHarness): Promise<Measured> => {
  const { shape, sizes } = harness.size.growth;
  const all: Figures[] = [];
  for (const [index, to] of sizes.entries()) {
    await addMarkets(harness.system, harness.admin, shape, { from: sizes[index - 1] ?? 0, to });
    all.push(await figuresOf(harness, archiveReads(shape, to)));
  }
  return grown(all, 'cold read, p50');
};

const catalogueReads = {
  search: searches,
  'market detail': marketsByTicker,
  'markets of a filter': listings,
  'series by id': seriesById,
};

const catalogueGrowth = async (harness: BenchHarness): Promise<Measured> => {
  const { size } = harness;
  const before = await figuresOf(harness, catalogueReads);
  const larger = { ...size, catalogue: size.grownCatalogue };
  return grown([before, await harness.withSize(larger, (other) => figuresOf(other, catalogueReads))], 'search, p50');
};

export const growthRows = ({
  growth: { shape, sizes },
  catalogue,
  grownCatalogue,
}: BenchSize): readonly BenchEntry[] => {
  const rowsOf = (marketsN = 0): string => `${inWords(marketsN * shape.secondsN, 'M')} rows`;
  return [
    {
      name: `growth of the catalogue to ${inWords(grownCatalogue.marketsN, 'M')} markets`,
      shows: 'Which reads, starts and memory grow with the catalogue: two hours and 20 GB of disk.',
      against: `search at ${inWords(catalogue.marketsN, 'M')} markets`,
      threshold: null,
      unit: 'ms',
      measure: catalogueGrowth,
    },
    {
      name: `growth of the archive to ${rowsOf(sizes.at(-1))}`,
      shows: 'Which reads, starts and memory grow with the archive: an hour and 25 GB of disk.',
      against: `cold read at ${rowsOf(sizes[0])}`,
      threshold: { below: 1.2 },
      unit: 'ms',
      measure: archiveGrowth,
    },
  ];
};
