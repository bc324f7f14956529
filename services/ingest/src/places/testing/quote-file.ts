import { parquetWriteBuffer } from 'hyparquet-writer';

/** Quotes as Parquet, with a column that nobody reads. */
export const quoteParquet = (rows: number): Buffer =>
  Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 't', data: Array.from({ length: rows }, () => 'KXA-26AUG10-A'), type: 'STRING' },
        { name: 'at', data: Array.from({ length: rows }, (_, at) => BigInt(1_786_399_201 + at)), type: 'INT64' },
        { name: 'bid', data: Array.from({ length: rows }, (_, at) => (at % 80) / 100), type: 'DOUBLE' },
        { name: 'noise', data: Array.from({ length: rows }, (_, at) => Math.sin(at)), type: 'DOUBLE' },
      ],
    }),
  );
