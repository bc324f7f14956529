/** The place of a field of a FlatBuffers table, 0 if it is absent. Throws a RangeError outside of the bytes. */
export const flatbufferField = (bytes: Buffer, table: number, field: number): number => {
  const fields = table - bytes.readInt32LE(table);
  const slot = 4 + field * 2;
  const offset = slot < bytes.readUInt16LE(fields) ? bytes.readUInt16LE(fields + slot) : 0;
  return offset === 0 ? 0 : table + offset;
};

/** Where a field of a FlatBuffers table points to, 0 if it is absent. Throws like `flatbufferField`. */
export const flatbufferTarget = (bytes: Buffer, table: number, field: number): number => {
  const at = flatbufferField(bytes, table, field);
  return at === 0 ? 0 : at + bytes.readUInt32LE(at);
};
