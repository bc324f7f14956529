import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type ClickHouse, rows, stream } from '@almanac/clickhouse';
import { exportFormats, type ExportQuestion, type FileFacts } from '@almanac/contracts';
import type { ObjectStore } from '@almanac/object-store';
import { z } from 'zod';
import { fileSchema } from './file-key.js';
import { countQuery, fileQuery } from './file-query.js';
import { fileStream, type Passed } from './file-stream.js';

export interface FileStores {
  readonly clickhouse: ClickHouse;
  readonly objects: ObjectStore;
}

export interface WantedFile {
  readonly key: string;
  readonly question: ExportQuestion;
  /** When it was asked for. Whether a market is live is as of then, so that another attempt writes the same bytes. */
  readonly requested_us: number;
}

/** What was streamed is not what is stored: the attempt counts for nothing and is made again. */
export class IncompleteFileError extends Error {
  override readonly name = 'IncompleteFileError';
}

const counts = z.object({ rows: z.int(), markets: z.int() });

/**
 * Makes a file: ClickHouse writes its format, and its bytes pass through to the object store with a few of them in
 * memory. Either the whole, counted file is stored, or nothing.
 *
 * Every attempt has a storage key of its own, so two workers that believe to have the same task (one of them was
 * frozen, say) never write over each other: the file's own subject decides whose object it is.
 */
export const writeFile = async (
  { clickhouse, objects }: FileStores,
  { key, question, requested_us }: WantedFile,
  signal: AbortSignal,
): Promise<FileFacts> => {
  const count = async () => {
    const [counted] = await rows(clickhouse, { ...countQuery(question), signal }, counts);
    if (counted === undefined) throw new Error('a count has a row');
    return counted;
  };
  const before = await count();
  const storage_key = `files/${key}/${randomUUID()}.${question.format}`;
  let passed: Passed | undefined;
  const answer = await stream(
    clickhouse,
    { ...fileQuery(question, requested_us), signal },
    { gzip: question.format === 'jsonl.gz' },
  );
  const bytes = fileStream(answer, {
    format: question.format,
    metadata: metadataOf({ key, question }),
    onPassed: async (all) => {
      await requireAllRows(all.rows, { before: before.rows, after: async () => (await count()).rows });
      passed = all;
    },
  });
  const { contentType } = exportFormats[question.format];
  const source = Readable.from(bytes, { objectMode: false });
  const stored = await objects.putStream(storage_key, source, { contentType, signal });
  if (passed === undefined) throw new IncompleteFileError('the upload ended before its source');
  return { storage_key, bytes: stored.bytes, row_count: passed.rows, markets: before.markets, sha256: passed.sha256 };
};

/**
 * The rows that were streamed must be those of a count() of its own. Rows are only ever added, so a market that is
 * being captured has at least the rows counted before the stream and at most those counted after it; where nothing
 * changes, as mostly, that is equality, and one count is enough.
 */
const requireAllRows = async (
  streamed: number,
  { before, after }: { before: number; after: () => Promise<number> },
): Promise<void> => {
  if (streamed === before) return;
  const most = streamed > before ? await after() : before;
  if (streamed > most || streamed < before) {
    throw new IncompleteFileError(`the file has ${streamed} rows, a count ${before} to ${most}`);
  }
};

/** What a Parquet file tells of itself. The key is a fingerprint of the data versions of all its markets. */
const metadataOf = ({ key, question }: Pick<WantedFile, 'key' | 'question'>): Record<string, string> => ({
  'almanac.query': JSON.stringify(question),
  'almanac.data_version': key,
  'almanac.schema_version': String(fileSchema),
});
