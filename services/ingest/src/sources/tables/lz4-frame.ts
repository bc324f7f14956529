const magic = 0x18_4d_22_04;
const outputMax = 512 * 1024 * 1024;

/** The bytes of one lz4 frame, whose blocks may refer to those before them. Throws for a damaged one. */
export const unpackedLz4Frame = (bytes: Uint8Array): Uint8Array => {
  const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (input.length < 7 || input.readUInt32LE(0) !== magic) throw new Error('not an lz4 frame');
  const flags = input.readUInt8(4);
  const [hasBlockSums, hasSize, hasDictionary] = [(flags & 16) !== 0, (flags & 8) !== 0, (flags & 1) !== 0];
  const output = new Output();
  for (let at = 7 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0); ;) {
    const size = input.readUInt32LE(at);
    at += 4;
    if (size === 0) return output.bytes();
    const isPlain = size >= 0x80_00_00_00;
    const length = isPlain ? size - 0x80_00_00_00 : size;
    if (at + length > input.length) throw new Error('the lz4 frame is cut');
    const block = input.subarray(at, at + length);
    if (isPlain) output.append(block);
    else unpackBlock(block, output);
    at += length + (hasBlockSums ? 4 : 0);
  }
};

const unpackBlock = (block: Buffer, output: Output): void => {
  let at = 0;
  const longLength = (short: number): number => {
    let length = short;
    for (let more = short === 15 ? 255 : 0; more === 255; length += more) more = block.readUInt8(at++);
    return length;
  };
  while (at < block.length) {
    const token = block.readUInt8(at++);
    const literals = longLength(token >> 4);
    if (at + literals > block.length) throw new Error('an lz4 block is cut');
    output.append(block.subarray(at, at + literals));
    at += literals;
    if (at >= block.length) return;
    const offset = block.readUInt16LE(at);
    at += 2;
    output.repeat(offset, longLength(token & 15) + 4);
  }
};

class Output {
  private buffer = new Uint8Array(64 * 1024);
  private length = 0;

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  repeat(offset: number, count: number): void {
    if (offset === 0 || offset > this.length) throw new Error('an lz4 block refers to bytes before its frame');
    this.reserve(count);
    const { buffer } = this;
    for (let end = this.length + count; this.length < end; this.length += 1)
      buffer[this.length] = buffer[this.length - offset] ?? 0;
  }

  bytes(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  private reserve(more: number): void {
    const needed = this.length + more;
    if (needed > outputMax) throw new Error(`an lz4 frame has more than ${outputMax} bytes`);
    if (needed <= this.buffer.length) return;
    const larger = new Uint8Array(Math.max(needed, this.buffer.length * 2));
    larger.set(this.buffer.subarray(0, this.length));
    this.buffer = larger;
  }
}
