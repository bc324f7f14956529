import { createHash } from 'node:crypto';
import { asBuffer, withParquetMetadata } from '@almanac/clickhouse';
import type { ExportFormatId } from '@almanac/contracts';
import { npzStream } from '../engine-formats/npz-stream.js';
import { type CountedFormat, rowCounter } from './row-counters.js';

/** Figures of a file, complete after its last byte. */
export interface Passed {
  readonly rows: number;
  readonly sha256: string;
}

export interface FileStreamOptions {
  readonly format: ExportFormatId;
  /** Of an array file: the number of its rows, which stands before them. */
  readonly arrayRows?: number | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  /** Called after the last byte and before the stream ends. If it throws, the stream fails. */
  readonly onPassed: (passed: Passed) => Promise<void>;
  /** Called as bytes pass, with the bytes and rows so far. A Parquet file has its row count only at its end. */
  readonly onProgress?: (bytes: number, rows: number | undefined) => void;
}

/** Counts and hashes the bytes of a file on their way to the store. It fails unless `onPassed` accepts them. */
export async function* fileStream(
  source: AsyncIterable<unknown>,
  { format, arrayRows = 0, metadata, onPassed, onProgress = () => undefined }: FileStreamOptions,
): AsyncGenerator<Buffer, void, void> {
  const hash = createHash('sha256');
  let rows = 0;
  let bytes = 0;
  let soFar: number | undefined;
  const onRows = (counted: number): void => void (rows = counted);
  const onRowsSoFar = (counted: number): void => void (soFar = counted);
  const chunks =
    format === 'parquet'
      ? withParquetMetadata(source, { metadata, onRows })
      : format === 'hftbacktest'
        ? npzStream(source, { length: arrayRows, onRows, onRowsSoFar })
        : countedRows(source, { format, onRows, onRowsSoFar });
  for await (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
    onProgress(bytes, soFar);
    yield chunk;
  }
  await onPassed({ rows, sha256: hash.digest('hex') });
}

interface CountedOptions {
  readonly format: CountedFormat;
  readonly onRows: (rows: number) => void;
  readonly onRowsSoFar: (rows: number) => void;
}

async function* countedRows(
  source: AsyncIterable<unknown>,
  { format, onRows, onRowsSoFar }: CountedOptions,
): AsyncGenerator<Buffer, void, void> {
  const counter = rowCounter(format);
  try {
    for await (const chunk of source) {
      const bytes = asBuffer(chunk);
      await counter.add(bytes);
      onRowsSoFar(counter.soFar);
      yield bytes;
    }
    onRows(await counter.end());
  } finally {
    counter.close();
  }
}
