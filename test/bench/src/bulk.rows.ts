import { createHash } from 'node:crypto';
import { makeOnce, tickerOf } from './data.js';
import { withExport } from './export-side.js';
import type { BenchHarness } from './harness.js';
import { requestBytes } from './http-side.js';
import { comparePairs, type RunSide, secondsSince } from './pairs.js';
import type { BenchEntry, Measured } from './row.js';
import { type BenchSize, inWords } from './size.js';

const format = 'csv';
const timeoutMs = 120_000;

/** Another market in each round, because an export of the same data is ready at once. */
const bulkRead = async (harness: BenchHarness): Promise<Measured> => {
  const { shape, pairs, warmPairs } = harness.size.bulk;
  await makeOnce(harness, shape);
  const { url, headers } = harness.gateway;
  const read = async (path: string, startedAt: number) => {
    // Without a coding: the file of an export has none.
    const bytes = await requestBytes(url + path, { headers: { ...headers, 'accept-encoding': 'identity' } }, timeoutMs);
    const rate = shape.secondsN / secondsSince(startedAt);
    return { rate, digest: createHash('sha256').update(bytes).digest().readUInt32BE() };
  };
  const ours: RunSide = (round) =>
    read(`/markets/${tickerOf(round, shape)}/snapshots?step_ms=0&format=${format}`, performance.now());
  const reference: RunSide = (round) => {
    const startedAt = performance.now();
    const selection = { format, ticker: tickerOf(round, shape), rowsN: shape.secondsN } as const;
    return withExport(harness, { ...selection, streams: ['snapshots'] }, ({ id }) =>
      read(`/exports/${id}/file`, startedAt),
    );
  };
  return comparePairs({ ours, reference }, pairs, warmPairs);
};

export const bulkRows = ({ bulk: { shape } }: BenchSize): readonly BenchEntry[] => [
  {
    name: `bulk read of ${inWords(shape.secondsN)} snapshots, ${format}`,
    gain: 'A user gets all rows of a market in one answer, sooner than by an export.',
    against: 'the same export, from POST to the last byte of its file',
    threshold: { atLeast: 0.8 },
    unit: 'rows/s',
    measure: bulkRead,
  },
];
