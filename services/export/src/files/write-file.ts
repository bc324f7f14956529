import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { bytes as bytesOf, type ClickHouse, rowsInBackground, stream } from '@almanac/clickhouse';
import { exportFormats, type ExportManifest, type ExportQuery, type StoredFile } from '@almanac/contracts';
import type { ObjectStore } from '@almanac/object-store';
import { fileSchema, type MarketVersion } from './file-key.js';
import { daysIn } from './days-in-file.js';
import { type FileStats, readFileStats, type RowCounts, verifyRowCount } from './file-stats.js';
import { clockOf, type FileQuery } from './file-selection.js';
import { arraySizeSql, fileSql, sampleSql } from './file-sql.js';
import type { RecordingGaps } from './recording-gaps.js';
import { fileStream, type Passed } from './file-stream.js';
import { IncompleteFileError } from './classify-errors.js';
import { z } from 'zod';

export interface FileStores {
  readonly clickhouse: ClickHouse;
  readonly objects: ObjectStore;
  /** The current data versions of markets, in any order. */
  readonly versionsOf: (tickers: readonly string[]) => Promise<readonly Pick<MarketVersion, 'ticker' | 'version'>[]>;
}

export interface PendingFile {
  readonly key: string;
  readonly exportQuery: ExportQuery;
  /** The markets of a day or a range at the request. */
  readonly markets?: readonly string[] | undefined;
  /** When the export was requested. It decides which markets are live, so that every attempt writes the same bytes. */
  readonly requested_us: number;
}

export interface WriteOptions {
  readonly signal: AbortSignal;
  /** The stats of the file, as they were a moment ago. Default: read now. */
  readonly stats?: () => Promise<FileStats>;
  /** Called once with the rows of the file. The returned function is called often, with the rows written so far. */
  readonly startProgress?: (rows: number) => (rowsDone: number) => void;
}

export interface WrittenFile {
  readonly file: StoredFile;
  readonly manifest: ExportManifest;
}

/**
 * Streams a file from ClickHouse to the object store: the complete and counted file is stored, or nothing. Every
 * attempt has its own storage key, so two workers with the same task never overwrite each other. The file's subject
 * decides whose object counts.
 */
export const writeFile = async (
  stores: FileStores,
  { key, exportQuery, markets: listed, requested_us }: PendingFile,
  { signal, stats, startProgress }: WriteOptions,
): Promise<WrittenFile> => {
  const { clickhouse, objects } = stores;
  const fileQuery = fileQueryFor(exportQuery, listed);
  const nowUs = clockOf(exportQuery, requested_us);
  const readNow = () => readFileStats(clickhouse, { exportQuery: fileQuery, nowUs }, signal);
  const { counts: before, missed } = await (stats ?? readNow)();
  // Read before the rows, so the rows are of these versions or later ones.
  const [days, versions] = await Promise.all([
    daysIn(clickhouse, fileQuery, signal),
    stores.versionsOf(before.markets.map(({ ticker }) => ticker)),
  ]);
  // Read after the versions, because rows that are added later are not in the file.
  const array = exportQuery.format === 'hftbacktest' ? await arraySize(clickhouse, fileQuery, signal) : undefined;
  const query = fileSql(fileQuery, { nowUs, withEmpty: before.hasEmpty, ...until(array) });
  const onProgress = await rowProgress(clickhouse, {
    exportQuery: fileQuery,
    requested_us: nowUs,
    rows: before.rows,
    signal,
    startProgress,
  });
  const storage_key = `files/${key}/${randomUUID()}.${exportFormats[exportQuery.format].extension}`;
  const countAgain = async () => (await readNow()).counts;
  let passed: (Passed & { markets: RowCounts['markets'] }) | undefined;
  const answer = await stream(clickhouse, { ...query, signal }, { gzip: exportQuery.format === 'jsonl.gz' });
  const bytes = fileStream(answer, {
    format: exportQuery.format,
    arrayRows: array?.rows,
    metadata: metadataOf({ key, exportQuery }),
    onProgress,
    onPassed: async (all) => void (passed = { ...all, markets: await verifyRowCount(all.rows, before, countAgain) }),
  });
  const { contentType } = exportFormats[exportQuery.format];
  const source = Readable.from(bytes, { objectMode: false });
  const stored = await objects.putStream(storage_key, source, { contentType, signal });
  if (passed === undefined) throw new IncompleteFileError('the upload ended before its source');
  const { rows: row_count, sha256, markets } = passed;
  return {
    file: { storage_key, bytes: stored.bytes, row_count, markets: markets.length, sha256 },
    manifest: manifestOf({ exportQuery, row_count, markets, versions, missed, days }),
  };
};

const arrayBounds = z.object({ rows: z.int(), until_us: z.int() });

const arraySize = async (
  clickhouse: ClickHouse,
  fileQuery: FileQuery,
  signal: AbortSignal,
): Promise<z.output<typeof arrayBounds>> => {
  const settings = { output_format_json_quote_64bit_integers: 0 } as const;
  const [size] = await rowsInBackground(clickhouse, { ...arraySizeSql(fileQuery), settings, signal }, arrayBounds);
  return size ?? { rows: 0, until_us: 0 };
};

const until = (array: { readonly until_us: number } | undefined): { untilUs?: number } =>
  array === undefined ? {} : { untilUs: array.until_us };

export const fileQueryFor = (exportQuery: ExportQuery, markets: readonly string[] | undefined): FileQuery =>
  markets === undefined ? exportQuery : { ...exportQuery, markets };

interface ProgressOptions {
  readonly exportQuery: FileQuery;
  readonly requested_us: number;
  readonly rows: number;
  readonly signal: AbortSignal;
  readonly startProgress: WriteOptions['startProgress'] | undefined;
}

/** A smaller Parquet file is ready within a second or two, before a client could poll twice. */
const estimatedFromRows = 2_000_000;
const sampleRows = 2_000;

/** Rows by the bytes that passed. For Parquet, which has its row count at its end, estimated from a sample. */
const rowProgress = async (
  clickhouse: ClickHouse,
  { exportQuery, requested_us, rows: all, signal, startProgress }: ProgressOptions,
): Promise<(bytes: number, rows: number | undefined) => void> => {
  if (startProgress === undefined) return () => undefined;
  const publish = startProgress(all);
  publish(0);
  if (exportQuery.format !== 'parquet') return (_, counted = 0) => publish(counted);
  if (all < estimatedFromRows) return () => undefined;
  const sample = await bytesOf(clickhouse, { ...sampleSql(exportQuery, requested_us, sampleRows), signal });
  const rowsPerByte = sampleRows / sample.length;
  return (passed) => publish(Math.min(all - 1, Math.floor(passed * rowsPerByte)));
};

interface ManifestInput {
  readonly exportQuery: ExportQuery;
  readonly row_count: number;
  readonly markets: RowCounts['markets'];
  readonly versions: readonly Pick<MarketVersion, 'ticker' | 'version'>[];
  readonly missed: RecordingGaps;
  readonly days: ExportManifest['days'];
}

const manifestOf = ({ exportQuery, row_count, markets, versions, missed, days }: ManifestInput): ExportManifest => {
  const versionOf = new Map(versions.map(({ ticker, version }) => [ticker, version]));
  return {
    query: exportQuery,
    schema_version: fileSchema,
    markets: markets.map(({ ticker, rows: counted }) => ({
      ticker,
      data_version: exportQuery.as_of === undefined ? (versionOf.get(ticker) ?? 0) : null,
      rows: counted,
    })),
    row_count,
    ...(days === undefined ? {} : { days }),
    ...missed,
  };
};

/** Key-value metadata of a Parquet file. `data_version` is a fingerprint of all its markets' data versions. */
const metadataOf = ({ key, exportQuery }: Pick<PendingFile, 'key' | 'exportQuery'>): Record<string, string> => ({
  'almanac.query': JSON.stringify(exportQuery),
  // It would tell of later changes.
  ...(exportQuery.as_of === undefined ? { 'almanac.data_version': key } : {}),
  'almanac.schema_version': String(fileSchema),
});
