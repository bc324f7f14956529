import { CompressionType, setCompressionCodec, tableFromIPC, Type } from '@uwdata/flechette';
import { compress, decompress } from 'lz4js';

setCompressionCodec(CompressionType.LZ4_FRAME, {
  decode: (bytes) => new Uint8Array(decompress(bytes)),
  encode: (bytes) => new Uint8Array(compress(bytes)),
});

export interface ArrowFile {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The metadata of the schema. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The zones of its times, each once. */
  readonly timeZones: readonly string[];
}

/** Reads an Arrow IPC stream. Times are dates, and the levels of a book are lists of numbers. */
export const readArrow = (bytes: Uint8Array): ArrowFile => {
  const table = tableFromIPC(new Uint8Array(bytes), { useDate: true });
  const rows = table
    .toArray()
    .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
  const { fields, metadata } = table.schema;
  const zones = fields.flatMap(({ type }) => (type.typeId === Type.Timestamp ? [type.timezone ?? 'none'] : []));
  return { rows, metadata: Object.fromEntries(metadata ?? []), timeZones: [...new Set(zones)] };
};

const plain = (value: unknown): unknown => {
  if (ArrayBuffer.isView(value) && Symbol.iterator in value) return Array.from(value as Iterable<unknown>);
  return Array.isArray(value) ? value.map(plain) : value;
};
