/** Writes one block of ClickHouse's format Native: columns one after the other, each with its name and type. */
export class NativeBlock {
  private readonly parts: Uint8Array[] = [];
  private columns = 0;

  constructor(private readonly rows: number) {}

  /** Numbers as they are in memory, the lowest byte first. `nulls`: 1 for each row without a value. */
  numbers(name: string, type: string, values: ArrayBufferView, nulls: Uint8Array | null = null): void {
    this.begin(name, nulls === null ? type : `Nullable(${type})`);
    if (nulls !== null) this.parts.push(nulls.subarray(0, this.rows));
    this.parts.push(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  /** Lists of tuples: where the list of each row ends, and each field of all tuples. */
  lists(name: string, type: string, ends: ArrayBufferView, fields: readonly ArrayBufferView[]): void {
    this.begin(name, type);
    for (const { buffer, byteOffset, byteLength } of [ends, ...fields])
      this.parts.push(new Uint8Array(buffer, byteOffset, byteLength));
  }

  /** Texts of which there are few: each once, and for each row its index. */
  texts(name: string, distinct: readonly string[], indexes: Uint16Array): void {
    this.begin(name, 'LowCardinality(String)');
    this.parts.push(integers(1n, hasOwnTexts | of16Bits, BigInt(distinct.length)));
    for (const text of distinct) this.parts.push(sized(text));
    this.parts.push(integers(BigInt(this.rows)), new Uint8Array(indexes.buffer, indexes.byteOffset, 2 * this.rows));
  }

  /** Texts of which each row has its own, as `ownTexts` has them. */
  ownTexts(name: string, texts: Uint8Array, nulls: Uint8Array | null = null): void {
    this.begin(name, nulls === null ? 'String' : 'Nullable(String)');
    if (nulls !== null) this.parts.push(nulls.subarray(0, this.rows));
    this.parts.push(texts);
  }

  bytes(): Buffer {
    return Buffer.concat([varint(this.columns), varint(this.rows), ...this.parts]);
  }

  private begin(name: string, type: string): void {
    this.columns += 1;
    this.parts.push(sized(name), sized(type));
  }
}

const hasOwnTexts = 0x600n;
const of16Bits = 1n;

const integers = (...values: readonly bigint[]): Uint8Array => new Uint8Array(BigUint64Array.from(values).buffer);

const varint = (value: number): Uint8Array => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, rest]);
};

const sized = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  return Buffer.concat([varint(bytes.length), bytes]);
};
