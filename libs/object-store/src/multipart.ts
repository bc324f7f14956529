import type { Readable } from 'node:stream';

export interface Part {
  readonly number: number;
  readonly data: Buffer;
  readonly last: boolean;
  /** Gives the memory back; `data` must not be read after it. */
  release(): void;
}

/** What a small object is gathered in; whole parts for each of many would be most of what is collected as garbage. */
const firstBytes = 256 * 1_024;

/**
 * Cuts a stream into parts of `partBytes`, the last one shorter. Parts that were released are filled again, so
 * the memory is `partBytes` times the parts held at once and one more, however long the stream is.
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
      // A full part waits for the next byte, because only then it is known not to be the last.
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
