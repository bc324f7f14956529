import { flatbufferField, flatbufferTarget } from '@almanac/runtime';

/**
 * The metadata of a message of an Arrow IPC stream: a FlatBuffers table. Only the fields that this file needs are named, by
 * their number in Arrow's Message.fbs and Schema.fbs.
 */
const messageField = { version: 0, headerType: 1, header: 2, bodyLength: 3 } as const;
const schemaField = { endianness: 0, fields: 1, metadata: 2, features: 3 } as const;
const batchLength = 0;

const headerTypes = { schema: 1, batch: 3 } as const;

export interface ArrowMessage {
  readonly isSchema: boolean;
  /** Of a record batch. */
  readonly rows: number;
  /** Bytes after the metadata. */
  readonly bodyLength: number;
}

/** Throws a RangeError if the bytes are cut. */
export const readArrowMessage = (bytes: Buffer): ArrowMessage => {
  const message = bytes.readUInt32LE(0);
  const typeAt = flatbufferField(bytes, message, messageField.headerType);
  const type = typeAt === 0 ? 0 : bytes.readUInt8(typeAt);
  const rowsAt = type === headerTypes.batch ? flatbufferField(bytes, headerOf(bytes, message), batchLength) : 0;
  const bodyAt = flatbufferField(bytes, message, messageField.bodyLength);
  return {
    isSchema: type === headerTypes.schema,
    rows: rowsAt === 0 ? 0 : Number(bytes.readBigInt64LE(rowsAt)),
    bodyLength: bodyAt === 0 ? 0 : Number(bytes.readBigInt64LE(bodyAt)),
  };
};

const headerOf = (bytes: Buffer, message: number): number => flatbufferTarget(bytes, message, messageField.header);

/**
 * Adds key-value metadata to the schema of a message, because ClickHouse cannot write any. FlatBuffers point forward, so a
 * new message and a new schema stand before the old bytes, and point to the fields in them. No old byte moves in relation to
 * the others.
 */
export const withSchemaMetadata = (old: Buffer, texts: Readonly<Record<string, string>>): Buffer => {
  const message = old.readUInt32LE(0);
  const schema = headerOf(old, message);
  if (
    flatbufferField(old, schema, schemaField.endianness) !== 0 ||
    flatbufferField(old, schema, schemaField.metadata) !== 0
  )
    throw new Error('the Arrow schema has more than ClickHouse writes');
  const entries = Object.entries(texts);
  const [messageAt, schemaAt, listAt] = [16, 40, 56];
  const pairsAt = listAt + 4 + 4 * entries.length + (entries.length % 2 === 0 ? 4 : 0);
  const pairs = entries.map(([key, value]) => pairOf(key, value));
  const size = pairsAt + pairs.reduce((sum, { length }) => sum + length, 0);
  const head = Buffer.alloc(pairsAt);
  const pointTo = (at: number, target: number): void => void head.writeUInt32LE(target - at, at);
  pointTo(0, messageAt);
  // Places in a table of four bytes for its fields, the header, the version and the type.
  writeFields(head, 4, { size: 12, places: [8, 10, 4] });
  head.writeInt32LE(messageAt - 4, messageAt);
  pointTo(messageAt + 4, schemaAt);
  head.writeInt16LE(old.readInt16LE(flatbufferField(old, message, messageField.version)), messageAt + 8);
  head.writeUInt8(headerTypes.schema, messageAt + 10);
  const features = flatbufferTarget(old, schema, schemaField.features);
  writeFields(head, 28, { size: 16, places: [0, 4, 8, features === 0 ? 0 : 12] });
  head.writeInt32LE(schemaAt - 28, schemaAt);
  pointTo(schemaAt + 4, size + flatbufferTarget(old, schema, schemaField.fields));
  pointTo(schemaAt + 8, listAt);
  if (features !== 0) pointTo(schemaAt + 12, size + features);
  head.writeUInt32LE(entries.length, listAt);
  let at = pairsAt;
  for (const [index, pair] of pairs.entries()) {
    pointTo(listAt + 4 + 4 * index, at + pairTableAt);
    at += pair.length;
  }
  return Buffer.concat([head, ...pairs, old]);
};

/** The list of a table's fields: its own size, that of the table, and the place of each field. */
const writeFields = (
  into: Buffer,
  at: number,
  { size, places }: { readonly size: number; readonly places: readonly number[] },
): void => {
  for (const [index, value] of [4 + 2 * places.length, size, ...places].entries())
    into.writeUInt16LE(value, at + 2 * index);
};

const pairTableAt = 8;

/** A table with a key and a value, and the fields before it. Its length is a multiple of 8. */
const pairOf = (key: string, value: string): Buffer => {
  const head = Buffer.alloc(pairTableAt + 16);
  writeFields(head, 0, { size: 12, places: [4, 8] });
  head.writeInt32LE(pairTableAt, pairTableAt);
  const texts = [key, value].map(textOf);
  const [keyText = Buffer.alloc(0)] = texts;
  head.writeUInt32LE(head.length - pairTableAt - 4, pairTableAt + 4);
  head.writeUInt32LE(head.length + keyText.length - pairTableAt - 8, pairTableAt + 8);
  return Buffer.concat([head, ...texts]);
};

/** The length, the bytes, and at least one 0. */
const textOf = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  const padded = Buffer.alloc(Math.ceil((4 + bytes.length + 1) / 8) * 8);
  padded.writeUInt32LE(bytes.length, 0);
  bytes.copy(padded, 4);
  return padded;
};
