export interface Footer {
  readonly rows: number;
  readonly bytes: Buffer;
}

/** Bytes after the footer: its length and the magic `PAR1`. */
export const trailerBytes = 8;
const magic = 'PAR1';

/** Length of the footer with its trailer. Throws if the bytes are not the end of a Parquet file. */
export const footerBytes = (end: Buffer): number => {
  if (end.length < trailerBytes || end.toString('latin1', end.length - 4) !== magic) {
    throw new Error('the Parquet file has no end');
  }
  return end.readUInt32LE(end.length - trailerBytes) + trailerBytes;
};

/**
 * Adds key-value metadata to the footer, because ClickHouse cannot write any. `footer` runs from the footer's first
 * byte to the end of the file.
 *
 * A footer is one struct in Thrift's compact protocol, and its fields may be in any order. The new field goes before
 * the end of the struct, so no other byte moves.
 */
export const withMetadata = (footer: Buffer, texts: Readonly<Record<string, string>>): Footer => {
  const struct = footer.subarray(0, footer.length - trailerBytes);
  const { rows, hasMetadata } = readFooter(struct);
  if (hasMetadata) throw new Error('the Parquet footer has metadata already');
  const added = Buffer.concat([struct.subarray(0, -1), metadataField(texts), Buffer.of(0)]);
  const trailer = Buffer.alloc(trailerBytes);
  trailer.writeUInt32LE(added.length, 0);
  trailer.write(magic, 4, 'latin1');
  return { rows, bytes: Buffer.concat([added, trailer]) };
};

/** Field numbers of FileMetaData, and type codes of the compact protocol. */
const field = { rows: 3, metadata: 5 } as const;
const type = { true: 1, false: 2, byte: 3, double: 7, binary: 8, list: 9, set: 10, map: 11, struct: 12 } as const;

const metadataField = (texts: Readonly<Record<string, string>>): Buffer => {
  const entries = Object.entries(texts);
  if (entries.length > 14) throw new Error('a short list holds 14 texts at most');
  const pair = ([key, value]: [string, string]) => Buffer.concat([binaryField(key), binaryField(value), Buffer.of(0)]);
  // The long form of a field header: its type, then its number in zigzag encoding.
  const header = Buffer.of(type.list, field.metadata * 2, (entries.length << 4) | type.struct);
  return Buffer.concat([header, ...entries.map(pair)]);
};

/** The next field of a struct, a text. */
const binaryField = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.of((1 << 4) | type.binary), varint(bytes.length), bytes]);
};

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
};

interface Reader {
  readonly bytes: Buffer;
  at: number;
}

const readFooter = (bytes: Buffer): { rows: number; hasMetadata: boolean } => {
  const reader: Reader = { bytes, at: 0 };
  let rows: number | undefined;
  let hasMetadata = false;
  readStruct(reader, (number, fieldType) => {
    hasMetadata ||= number === field.metadata;
    if (number === field.rows) rows = unzigzag(readVarint(reader));
    else skip(reader, fieldType);
  });
  if (rows === undefined || reader.at !== bytes.length) throw new Error('the Parquet footer cannot be read');
  return { rows, hasMetadata };
};

const readByte = (reader: Reader): number => {
  const byte = reader.bytes[reader.at];
  if (byte === undefined) throw new Error('the Parquet footer is cut');
  reader.at += 1;
  return byte;
};

const readVarint = (reader: Reader): number => {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = readByte(reader);
    value += (byte % 128) * scale;
    if (byte < 128) return value;
  }
};

const unzigzag = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

const readStruct = (reader: Reader, onField: (number: number, fieldType: number) => void): void => {
  let number = 0;
  for (let header = readByte(reader); header !== 0; header = readByte(reader)) {
    const delta = header >> 4;
    number = delta === 0 ? unzigzag(readVarint(reader)) : number + delta;
    onField(number, header & 15);
  }
};

const skip = (reader: Reader, fieldType: number): void => {
  switch (fieldType) {
    case type.true:
    case type.false:
      return;
    case type.byte:
      reader.at += 1;
      return;
    case type.double:
      reader.at += 8;
      return;
    case type.binary: {
      const length = readVarint(reader);
      reader.at += length;
      return;
    }
    case type.list:
    case type.set:
      return skipList(reader);
    case type.map:
      throw new Error('the Parquet footer has an unexpected map');
    case type.struct:
      return readStruct(reader, (_, inner) => skip(reader, inner));
    default:
      readVarint(reader);
  }
};

const skipList = (reader: Reader): void => {
  const header = readByte(reader);
  const count = header >> 4 === 15 ? readVarint(reader) : header >> 4;
  const element = header & 15;
  for (let index = 0; index < count; index += 1) {
    // A boolean in a list takes a byte. In a struct it takes none.
    if (element === type.true || element === type.false) reader.at += 1;
    else skip(reader, element);
  }
};
