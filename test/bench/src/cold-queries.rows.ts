import type { BenchHarness } from './harness.js';
import { median, quantile } from './pairs.js';
import { listings, type QuerySet, type QueryTimes, searches, seriesById, timesOf } from './query-sets.js';
import type { BenchEntry, Measured } from './row.js';

const measured = ({ queries, ours, reference }: QueryTimes): Measured => {
  const [late, usual] = [quantile(ours, 0.95), median(reference)];
  const notes = [
    `ours ${summary(ours)}; SELECT 1 ${summary(reference)}; p50 ${(median(ours) / usual).toFixed(1)} x`,
    ...byKind(queries, ours),
  ];
  return { ours: late, reference: usual, ratio: late / usual, notes };
};

const summary = (times: readonly number[]): string =>
  `p50 ${quantile(times, 0.5).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)} ms, most ${quantile(times, 1).toFixed(1)} ms (${times.length})`;

/** The slowest kinds first. */
const byKind = (queries: QueryTimes['queries'], took: readonly number[]): string[] => {
  const kinds = Map.groupBy(queries.keys(), (index) => queries[index]?.kind ?? '');
  const of = [...kinds].map(([kind, indexes]) => ({ kind, ms: indexes.map((index) => took[index] ?? Number.NaN) }));
  return of
    .toSorted((a, b) => quantile(b.ms, 0.5) - quantile(a.ms, 0.5))
    .map(({ kind, ms }) => `  ${kind.padEnd(30)} ${summary(ms)}`);
};

const coldQueries = (querySet: QuerySet) => ({
  unit: 'ms',
  against: 'SELECT 1 over HTTP, median',
  measure: async (harness: BenchHarness) => measured(await timesOf(harness, querySet)),
});

export const coldQueryRows: readonly BenchEntry[] = [
  {
    ...coldQueries(searches),
    name: 'search never asked before, p95',
    gain: 'A user who types any words finds markets among millions before the next key.',
    threshold: { below: 25 },
  },
  {
    ...coldQueries(listings),
    name: 'markets never asked before, p95',
    shows: 'The slow end of lists with every kind of filter.',
    threshold: null,
  },
  {
    ...coldQueries(seriesById),
    name: 'series by id never asked before, p95',
    shows: 'The slow end of reads of one series with its markets.',
    threshold: null,
  },
];
