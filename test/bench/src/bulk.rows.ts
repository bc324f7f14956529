import { createHash } from 'node:crypto';
import { type Shape, tickerOf } from './data.js';
import { makeOnce } from './export-data.js';
import { postExport, removeObjects, whenReady } from './export-side.js';
import type { BenchHarness } from './harness.js';
import { requestBytes } from './http-side.js';
import { comparePairs, type RunSide } from './pairs.js';
import { type BenchRow, type Measured, measuredPairs } from './row.js';
import { type BenchSize, inWords } from './size.js';

const formats = ['csv', 'parquet'] as const;
type BulkFormat = (typeof formats)[number];
const timeoutMs = 120_000;

/** Another market in each round, because an export of the same data is ready at once. */
const bulkRead = async (harness: BenchHarness, format: BulkFormat): Promise<Measured> => {
  const { shape, pairs, warmPairs } = harness.size.bulk;
  await makeOnce(harness, shape);
  const offset = formats.indexOf(format) * (pairs + warmPairs);
  const tickerIn = (round: number): string => tickerOf(offset + round, shape);
  // Without a coding: the file of an export has none.
  const headers = { ...harness.gateway.headers, 'accept-encoding': 'identity' };
  const resultOf = (bytes: Buffer, startedAt: number) => {
    const seconds = (performance.now() - startedAt) / 1_000;
    // Parquet files have other row groups and metadata than exports.
    const digest = format === 'parquet' ? 0 : createHash('sha256').update(bytes).digest().readUInt32BE();
    return { rate: shape.secondsN / seconds, digest };
  };
  const ours: RunSide = async (round) => {
    const startedAt = performance.now();
    const path = `/markets/${tickerIn(round)}/snapshots?step_ms=0&format=${format}`;
    return resultOf(await requestBytes(harness.gateway.url + path, { headers }, timeoutMs), startedAt);
  };
  const reference: RunSide = async (round) => {
    const startedAt = performance.now();
    const { id } = await postExport(harness, { format, ticker: tickerIn(round), streams: ['snapshots'] });
    const ready = await whenReady(harness, id);
    const result = resultOf(
      await requestBytes(`${harness.gateway.url}/exports/${id}/file`, { headers }, timeoutMs),
      startedAt,
    );
    if (ready.row_count !== shape.secondsN) throw new Error(`the file has ${ready.row_count} rows`);
    await removeObjects(harness, [ready.storage_key]);
    return result;
  };
  const later =
    (run: RunSide): RunSide =>
    (round) =>
      run(round + warmPairs);
  if (warmPairs > 0) await comparePairs({ ours, reference }, warmPairs);
  return measuredPairs(await comparePairs({ ours: later(ours), reference: later(reference) }, pairs));
};

const rowName = ({ secondsN }: Shape, format: BulkFormat): string =>
  `bulk read of ${inWords(secondsN)} snapshots, ${format}`;

export const bulkRows = ({ bulk }: BenchSize): readonly BenchRow[] =>
  formats.map((format) => ({
    name: rowName(bulk.shape, format),
    against: 'the same export, from POST to the last byte of its file',
    threshold: { atLeast: 0.8 },
    unit: 'rows/s',
    measure: (harness: BenchHarness) => bulkRead(harness, format),
  }));
