import {
  columnFromArray,
  CompressionType,
  type DataType,
  field,
  setCompressionCodec,
  Table,
  tableFromColumns,
  tableToIPC,
  int64,
} from '@uwdata/flechette';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { unpackedLz4Frame } from '../tables/lz4-frame.js';

export interface ArrowColumnData {
  readonly name: string;
  readonly type: DataType;
  readonly values: readonly unknown[];
  /** The values are integers as the file stores them. */
  readonly isStored?: boolean;
}

export interface ArrowOptions {
  readonly format?: 'stream' | 'file';
  readonly codec?: 'zstd' | 'lz4';
  readonly batchRows?: number;
}

/** An Arrow file or stream with these columns. */
export const arrowOf = (
  columns: readonly ArrowColumnData[],
  { format = 'stream', codec, batchRows = 64 }: ArrowOptions = {},
): Buffer => {
  setCompressionCodec(CompressionType.ZSTD, {
    encode: (bytes) => new Uint8Array(zstdCompressSync(bytes)),
    decode: (bytes) => new Uint8Array(zstdDecompressSync(bytes)),
  });
  setCompressionCodec(CompressionType.LZ4_FRAME, { encode: lz4FrameOf, decode: unpackedLz4Frame });
  const built = columns.map(
    ({ name, type, values, isStored = false }) =>
      [name, columnFromArray([...values], isStored ? int64() : type, { maxBatchRows: batchRows })] as [
        string,
        ReturnType<typeof columnFromArray>,
      ],
  );
  const { schema, children } = tableFromColumns(built);
  const fields = columns.map(({ name, type }, at) =>
    columns[at]?.isStored === true ? field(name, type) : (schema.fields[at] ?? field(name, type)),
  );
  const table = new Table({ ...schema, fields }, children);
  const codecs = { zstd: CompressionType.ZSTD, lz4: CompressionType.LZ4_FRAME };
  const bytes = tableToIPC(table, { format, codec: codec === undefined ? null : codecs[codec] });
  return Buffer.from(bytes ?? []);
};

/** A frame with one block of literals and runs of one byte. */
export const lz4FrameOf = (bytes: Uint8Array): Uint8Array => {
  const block: number[] = [];
  const lengthBytes = (length: number): void => {
    if (length < 15) return;
    let rest = length - 15;
    for (; rest >= 255; rest -= 255) block.push(255);
    block.push(rest);
  };
  const sequence = (literals: Uint8Array, run: number | null): void => {
    const match = run === null ? 0 : run - 4;
    block.push((Math.min(15, literals.length) << 4) | Math.min(15, match));
    lengthBytes(literals.length);
    block.push(...literals);
    if (run === null) return;
    block.push(1, 0);
    lengthBytes(match);
  };
  let from = 0;
  for (let at = 1; at < bytes.length; at += 1) {
    let end = at;
    while (end < bytes.length - 5 && bytes[end] === bytes[at - 1]) end += 1;
    if (end - at < 8) continue;
    sequence(bytes.subarray(from, at), end - at);
    from = end;
    at = end;
  }
  sequence(bytes.subarray(from), null);
  const frame = Buffer.alloc(7 + 4 + block.length + 4);
  frame.writeUInt32LE(0x18_4d_22_04, 0);
  frame.writeUInt8(0x40, 4);
  frame.writeUInt8(0x70, 5);
  frame.writeUInt32LE(block.length, 7);
  frame.set(block, 11);
  return new Uint8Array(frame);
};
