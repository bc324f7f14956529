/**
 * bzip2, block by block. Written here because the libraries of npm either want the whole file or end without an error where
 * the file is cut. `blocks` can be cut anywhere. Several streams in a row are one text, as `bzip2` itself reads them.
 */
export async function* unpackBzip2(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const input = blocks[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  let ended = false;
  const more = async (bytes: number): Promise<void> => {
    const parts = [held];
    for (let size = held.length; size < bytes && !ended;) {
      const next = await input.next();
      if (next.done === true) ended = true;
      else {
        parts.push(next.value);
        size += next.value.length;
      }
    }
    held = Buffer.concat(parts);
  };
  /** Runs a step on the bits at hand, with more of them if it runs out. */
  const step = async <T>(from: number, work: (bits: Bits) => T): Promise<T> => {
    for (let bytes = usualBlockBytes; ; bytes *= 2) {
      await more(bytes);
      const bits = new Bits(held, from);
      try {
        const result = work(bits);
        held = held.subarray(bits.at >>> 3);
        bit = bits.at & 7;
        return result;
      } catch (error) {
        if (!(error instanceof OutOfBits) || ended) throw error;
      }
    }
  };
  let bit = 0;
  try {
    for (;;) {
      await more(1);
      if (held.length === 0) return;
      const level = await step(bit, streamHeader);
      let sum = 0;
      for (;;) {
        const block = await step(bit, (bits) => readBlock(bits, level));
        if ('streamSum' in block) {
          if (block.streamSum !== sum) throw new Error('the checksum differs');
          break;
        }
        sum = (((sum << 1) | (sum >>> 31)) ^ block.sum) >>> 0;
        yield block.bytes;
      }
      // A stream ends at a whole byte.
      if (bit > 0) held = held.subarray(1);
      bit = 0;
    }
  } finally {
    await input.return?.();
  }
}

const usualBlockBytes = 1_200_000;

class OutOfBits extends Error {
  override readonly message = 'the data ends early';
}

class Bits {
  constructor(
    private readonly bytes: Buffer,
    public at: number,
  ) {}

  /** Up to 24 bits. */
  read(count: number): number {
    let value = 0;
    let left = count;
    while (left > 0) {
      const byte = this.bytes[this.at >>> 3];
      if (byte === undefined) throw new OutOfBits();
      const free = 8 - (this.at & 7);
      const taken = Math.min(free, left);
      value = (value << taken) | ((byte >>> (free - taken)) & ((1 << taken) - 1));
      this.at += taken;
      left -= taken;
    }
    return value;
  }

  word(): number {
    return ((this.read(16) << 16) | this.read(16)) >>> 0;
  }
}

const streamHeader = (bits: Bits): number => {
  if (bits.read(24) !== 0x42_5a_68) throw new Error('what follows is not bzip2');
  const level = bits.read(8) - 0x30;
  if (level < 1 || level > 9) throw new Error('the block size is not valid');
  return level;
};

type Block = { readonly bytes: Buffer; readonly sum: number } | { readonly streamSum: number };

const readBlock = (bits: Bits, level: number): Block => {
  const magic = bits.read(24) * 2 ** 24 + bits.read(24);
  if (magic === 0x17_72_45_38_50_90) return { streamSum: bits.word() };
  if (magic !== 0x31_41_59_26_53_59) throw new Error('a block does not begin where it should');
  const sum = bits.word();
  if (bits.read(1) === 1) throw new Error('blocks of bzip2 0.9.0 are not supported');
  const origin = bits.read(24);
  const moved = readSymbols(bits, level * 100_000);
  const bytes = expanded(withoutTransform(moved, origin));
  if (bzip2Sum(bytes) !== sum) throw new Error('the checksum of a block differs');
  return { bytes, sum };
};

interface Moved {
  /** The bytes after the Burrows-Wheeler transform. */
  readonly bytes: Uint8Array;
  readonly length: number;
}

const groupSize = 50;

const readSymbols = (bits: Bits, bytesMax: number): Moved => {
  const alphabet = usedBytes(bits);
  const tableCount = bits.read(3);
  const selectorCount = bits.read(15);
  if (tableCount < 2 || tableCount > 6 || selectorCount < 1) throw new Error('the tables are not valid');
  const selectors = readSelectors(bits, tableCount, selectorCount);
  const symbols = alphabet.length + 2;
  const tables = Array.from({ length: tableCount }, () => codeTable(readLengths(bits, symbols)));
  const end = symbols - 1;
  const bytes = new Uint8Array(bytesMax);
  let length = 0;
  let run = 0;
  let weight = 1;
  for (let group = 0; ; group += 1) {
    const table = tables[selectors[group] ?? -1];
    if (!table) throw new Error('a table is missing');
    for (let index = 0; index < groupSize; index += 1) {
      const symbol = readCode(bits, table);
      if (symbol <= 1) {
        run += weight << symbol;
        weight <<= 1;
        if (run > bytesMax) throw new Error('a run is too long');
        continue;
      }
      if (run > 0) {
        if (length + run > bytesMax) throw new Error('a block is too long');
        bytes.fill(alphabet[0] ?? 0, length, length + run);
        length += run;
        run = 0;
        weight = 1;
      }
      if (symbol === end) return { bytes, length };
      const moved = alphabet[symbol - 1];
      if (moved === undefined || length >= bytesMax) throw new Error('a block is too long');
      alphabet.copyWithin(1, 0, symbol - 1);
      alphabet[0] = moved;
      bytes[length++] = moved;
    }
  }
};

const usedBytes = (bits: Bits): Uint8Array => {
  const ranges = bits.read(16);
  const used: number[] = [];
  for (let range = 0; range < 16; range += 1) {
    if ((ranges & (0x8000 >>> range)) === 0) continue;
    const map = bits.read(16);
    for (let index = 0; index < 16; index += 1) if ((map & (0x8000 >>> index)) !== 0) used.push(range * 16 + index);
  }
  return Uint8Array.from(used);
};

const readSelectors = (bits: Bits, tableCount: number, count: number): Uint8Array => {
  const order = Array.from({ length: tableCount }, (_, index) => index);
  return Uint8Array.from({ length: count }, () => {
    let place = 0;
    while (bits.read(1) === 1) place += 1;
    const [table] = order.splice(place, 1);
    if (table === undefined) throw new Error('a table is missing');
    order.unshift(table);
    return table;
  });
};

const codeBitsMax = 20;

const readLengths = (bits: Bits, symbols: number): Uint8Array => {
  let length = bits.read(5);
  return Uint8Array.from({ length: symbols }, () => {
    while (bits.read(1) === 1) length += bits.read(1) === 1 ? -1 : 1;
    if (length < 1 || length > codeBitsMax) throw new Error('a code is too long');
    return length;
  });
};

interface CodeTable {
  /** By length: the first code, the number of codes, and the place of its first symbol. */
  readonly first: Int32Array;
  readonly counts: Int32Array;
  readonly offsets: Int32Array;
  readonly symbols: Uint16Array;
}

const codeTable = (lengths: Uint8Array): CodeTable => {
  const counts = new Int32Array(codeBitsMax + 1);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  const first = new Int32Array(codeBitsMax + 1);
  const offsets = new Int32Array(codeBitsMax + 1);
  for (let bits = 1; bits <= codeBitsMax; bits += 1) {
    first[bits] = ((first[bits - 1] ?? 0) + (counts[bits - 1] ?? 0)) << 1;
    offsets[bits] = (offsets[bits - 1] ?? 0) + (counts[bits - 1] ?? 0);
  }
  const order = Array.from(lengths.keys()).toSorted((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b);
  return { first, counts, offsets, symbols: Uint16Array.from(order) };
};

const readCode = (bits: Bits, { first, counts, offsets, symbols }: CodeTable): number => {
  let code = 0;
  for (let length = 1; length <= codeBitsMax; length += 1) {
    code = (code << 1) | bits.read(1);
    const index = code - (first[length] ?? 0);
    if (index < (counts[length] ?? 0)) return symbols[(offsets[length] ?? 0) + index] ?? 0;
  }
  throw new Error('a code is not valid');
};

/** Reverses the Burrows-Wheeler transform. */
const withoutTransform = ({ bytes, length }: Moved, origin: number): Uint8Array => {
  if (length > 0 && origin >= length) throw new Error('the origin of a block is not valid');
  const starts = new Int32Array(257);
  for (let at = 0; at < length; at += 1) {
    const next = (bytes[at] ?? 0) + 1;
    starts[next] = (starts[next] ?? 0) + 1;
  }
  for (let byte = 1; byte < 257; byte += 1) starts[byte] = (starts[byte] ?? 0) + (starts[byte - 1] ?? 0);
  const links = new Uint32Array(length);
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] ?? 0;
    const place = starts[byte] ?? 0;
    links[place] = at;
    starts[byte] = place + 1;
  }
  const text = new Uint8Array(length);
  let at = links[origin] ?? 0;
  for (let index = 0; index < length; index += 1) {
    text[index] = bytes[at] ?? 0;
    at = links[at] ?? 0;
  }
  return text;
};

/** Four equal bytes are followed by the number of further ones. */
const expanded = (text: Uint8Array): Buffer => {
  let size = 0;
  eachRun(text, (_, times) => (size += times));
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  eachRun(text, (byte, times) => {
    if (times === 1) bytes[at] = byte;
    else bytes.fill(byte, at, at + times);
    at += times;
  });
  return bytes;
};

const eachRun = (text: Uint8Array, visit: (byte: number, times: number) => void): void => {
  let same = 0;
  let last = -1;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (same === 4) {
      if (byte > 0) visit(last, byte);
      same = 0;
      last = -1;
      continue;
    }
    same = byte === last ? same + 1 : 1;
    last = byte;
    visit(byte, 1);
  }
};

const sums = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) sum = (sum & 0x80_00_00_00) === 0 ? sum << 1 : (sum << 1) ^ 0x04_c1_1d_b7;
  return sum >>> 0;
});

/** The CRC of bzip2 takes the bits of a byte in the other order than zlib's. */
const bzip2Sum = (bytes: Uint8Array): number => {
  let sum = 0xff_ff_ff_ff;
  for (let at = 0; at < bytes.length; at += 1) sum = (sum << 8) ^ (sums[((sum >>> 24) ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  return ~sum >>> 0;
};
