/** What a file is, by its first bytes. */
export type ContentKind =
  | { readonly kind: 'packed'; readonly by: Packing }
  | { readonly kind: 'zip' | 'tar' | 'sqlite' | 'parquet' | 'arrow' | 'text' }
  | { readonly kind: 'unsupported'; readonly why: string };

export type Packing = 'gzip' | 'zstd' | 'bzip2' | 'xz';

/** Enough for the header of a tar file. */
export const headBytes = 512;

const packings: readonly (readonly [Packing, Buffer])[] = [
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['bzip2', Buffer.from('BZh')],
  ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00])],
];

const starts = (head: Buffer, magic: string | Buffer): boolean =>
  head.subarray(0, magic.length).equals(typeof magic === 'string' ? Buffer.from(magic, 'latin1') : magic);

export const contentKindOf = (head: Buffer): ContentKind => {
  const packing = packings.find(([, magic]) => starts(head, magic))?.[0];
  if (packing === 'bzip2' && !isBzip2(head)) return { kind: 'text' };
  if (packing !== undefined || isSkippableFrame(head)) return { kind: 'packed', by: packing ?? 'zstd' };
  if (starts(head, 'PK\x03\x04') || starts(head, 'PK\x05\x06')) return { kind: 'zip' };
  if (starts(head, 'SQLite format 3\0')) return { kind: 'sqlite' };
  if (starts(head, 'PAR1')) return { kind: 'parquet' };
  if (starts(head, 'ARROW1') || isArrowStream(head) || isOldArrowStream(head)) return { kind: 'arrow' };
  if (isTar(head)) return { kind: 'tar' };
  const other = others.find(({ magic, at = 0 }) => starts(head.subarray(at), magic));
  return other ? { kind: 'unsupported', why: notSupported(other.what, other.remedy) } : { kind: 'text' };
};

export const notSupported = (what: string, remedy: string): string => `${what} are not supported. ${remedy}`;

/** A block, or the end of a text without any. */
const isBzip2 = (head: Buffer): boolean =>
  [Buffer.from('1AY&SY'), Buffer.from([0x17, 0x72, 0x45, 0x38, 0x50, 0x90])].some((magic) =>
    head.subarray(4, 10).equals(magic),
  );

/** zstd may begin with a frame that is no data. */
const isSkippableFrame = (head: Buffer): boolean =>
  head.length >= 4 && (head.readUInt32LE(0) & 0xff_ff_ff_f0) >>> 0 === 0x18_4d_2a_50;

const arrowSchemaMax = 16 * 1024 * 1024;

/** A stream of Arrow begins with a mark and the size of the message with its schema. */
const isArrowStream = (head: Buffer): boolean =>
  head.length > 16 && head.readInt32LE(0) === -1 && head.readInt32LE(4) > 0 && head.readInt32LE(4) < arrowSchemaMax;

/** Before Arrow 0.15 there was no mark. The message is a table of FlatBuffers, in whose second field 1 stands for a schema. */
const isOldArrowStream = (head: Buffer): boolean => {
  if (head.length < 64 || head.readInt32LE(0) <= 0 || head.readInt32LE(0) >= arrowSchemaMax) return false;
  const table = 4 + head.readUInt32LE(4);
  if (table > head.length - 4) return false;
  const fields = table - head.readInt32LE(table);
  if (fields < 8 || fields > head.length - 8 || head.readUInt16LE(fields) < 8) return false;
  const kindAt = head.readUInt16LE(fields + 6);
  return kindAt >= 4 && head[table + kindAt] === 1;
};

/** The header of the first file has a checksum of itself. */
const isTar = (head: Buffer): boolean => {
  if (head.length < headBytes || head[0] === 0) return false;
  const stated = /^ *([0-7]{1,6})[\0 ]/.exec(head.toString('latin1', 148, 156))?.[1];
  return stated !== undefined && Number.parseInt(stated, 8) === tarSum(head);
};

/** The checksum field counts as blanks. */
export const tarSum = (header: Buffer): number =>
  header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);

const toParquet = (how: string): string => `Convert it to Parquet, for example with ${how}`;
const unpackFirst = (how: string): string => `Unpack it first, for example with ${how}`;

const others: readonly { magic: string; at?: number; what: string; remedy: string }[] = [
  { magic: 'Obj\x01', what: 'Avro files', remedy: toParquet("DuckDB: COPY (FROM read_avro('x.avro')) TO 'x.parquet'") },
  { magic: 'ORC', what: 'ORC files', remedy: toParquet("Python: pandas.read_orc('x.orc').to_parquet('x.parquet')") },
  { magic: '7z\xbc\xaf\x27\x1c', what: '7z archives', remedy: unpackFirst('7z x FILE') },
  { magic: 'Rar!\x1a\x07', what: 'rar archives', remedy: unpackFirst('unrar x FILE') },
  { magic: '\x04\x22\x4d\x18', what: 'lz4 files', remedy: unpackFirst('lz4 -d FILE') },
  { magic: '\xff\x06\0\0sNaPpY', what: 'snappy files', remedy: unpackFirst('snzip -d FILE') },
  { magic: '\x1f\x9d', what: 'files of compress (.Z)', remedy: unpackFirst('gzip -d FILE') },
  { magic: '\x5d\0\0', what: 'lzma files', remedy: unpackFirst('xz -d FILE') },
  {
    magic: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
    what: 'Excel files',
    remedy: 'Save the sheet as CSV',
  },
  {
    magic: 'FEA1',
    what: 'Feather files of version 1',
    remedy: toParquet("Python: pandas.read_feather('x.feather').to_parquet('x.parquet')"),
  },
  { magic: 'PARE', what: 'encrypted Parquet files', remedy: 'Write it again without encryption' },
  { magic: 'DUCK', at: 8, what: 'DuckDB databases', remedy: toParquet("EXPORT DATABASE 'folder' (FORMAT parquet)") },
  {
    magic: '\x89HDF\r\n\x1a\n',
    what: 'HDF5 files',
    remedy: toParquet("Python: pandas.read_hdf('x.h5').to_parquet('x.parquet')"),
  },
  { magic: '\x93NUMPY', what: 'NumPy files', remedy: 'Convert it to CSV, for example with numpy.savetxt' },
  {
    magic: '\x80\x04\x95',
    what: 'pickle files',
    remedy: toParquet("Python: pandas.read_pickle('x.pkl').to_parquet('x.parquet')"),
  },
  {
    magic: '\x80\x05\x95',
    what: 'pickle files',
    remedy: toParquet("Python: pandas.read_pickle('x.pkl').to_parquet('x.parquet')"),
  },
  {
    magic: 'PGDMP',
    what: 'dumps of pg_dump',
    remedy: "Export its tables as CSV, for example with psql -c '\\copy TABLE to x.csv csv header'",
  },
  { magic: '%PDF-', what: 'PDF files', remedy: 'Export its table as CSV' },
];
