import type { Readable } from 'node:stream';

export interface Part {
  readonly number: number;
  readonly data: Buffer;
  readonly last: boolean;
  /** Returns the memory for reuse. `data` must not be read afterwards. */
  release(): void;
}

/** The buffer for small objects. A buffer of full part size for each of them would dominate garbage collection. */
const firstBytes = 256 * 1_024;

/**
 * Splits a stream into parts of `partBytes`; the last one is shorter. Released buffers are reused, so the memory is
 * `partBytes` times the parts held at once plus one, for a stream of any length.
 */
export async function* partsOf(source: Readable, partBytes: number): AsyncGenerator<Part, void, void> {
  const free: Buffer[] = [];
  let buffer: Buffer = Buffer.allocUnsafeSlow(Math.min(firstBytes, partBytes));
  let filled = 0;
  let number = 1;
  const cut = (last: boolean): Part => {
    const fullBuffer = buffer;
    return { number, data: fullBuffer.subarray(0, filled), last, release: () => void free.push(fullBuffer) };
  };
  for await (const chunk of source) {
    const bytes = toBytes(chunk);
    for (let at = 0; at < bytes.length;) {
      // A full part waits for the next byte, which proves that it is not the last.
      if (filled === buffer.length && filled < partBytes) buffer = grown(buffer, partBytes);
      if (filled === partBytes) {
        yield cut(false);
        buffer = free.pop() ?? Buffer.allocUnsafeSlow(partBytes);
        filled = 0;
        number += 1;
      }
      const copied = Math.min(buffer.length - filled, bytes.length - at);
      buffer.set(bytes.subarray(at, at + copied), filled);
      filled += copied;
      at += copied;
    }
  }
  yield cut(true);
}

const grown = (full: Buffer, max: number): Buffer => {
  const larger = Buffer.allocUnsafeSlow(Math.min(full.length * 2, max));
  larger.set(full);
  return larger;
};

const toBytes = (chunk: unknown): Uint8Array => {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === 'string') return Buffer.from(chunk);
  throw new TypeError('An object is stored from a stream of bytes or strings.');
};
