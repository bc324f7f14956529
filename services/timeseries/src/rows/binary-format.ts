import { type FileParts, withArrowMetadata, withParquetMetadata } from '@almanac/clickhouse';
import type { BinaryForm } from '@almanac/contracts';

/** The end of a statement, which further settings may follow. */
type FormatClause = Readonly<Record<BinaryForm, string>>;

export const wholeFormat: FormatClause = {
  parquet: `FORMAT Parquet SETTINGS output_format_parquet_compression_method = 'zstd'`,
  // Twice the size of zstd, and half of its time at both ends.
  arrow: `FORMAT ArrowStream SETTINGS output_format_arrow_compression_method = 'lz4_frame'`,
};

/**
 * Of a long answer. ClickHouse holds one row group of Parquet in memory, and readers skip by them. A record batch of Arrow is
 * a block of ClickHouse.
 */
export const streamedFormat: FormatClause = {
  parquet: `${wholeFormat.parquet}, output_format_parquet_row_group_size = 131072,
  output_format_parquet_row_group_size_bytes = 67108864`,
  arrow: wholeFormat.arrow,
};

type WithMetadata = (source: AsyncIterable<unknown>, parts: FileParts) => AsyncGenerator<Buffer, void, void>;

/** Adds metadata, counts the rows, and throws if the end is missing. */
export const withMetadata: Readonly<Record<BinaryForm, WithMetadata>> = {
  parquet: withParquetMetadata,
  arrow: withArrowMetadata,
};
