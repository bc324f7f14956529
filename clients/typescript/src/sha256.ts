import type { Hash } from './exports/file-bytes.js';

const blockBytes = 64;

/** The first 32 bits of the fraction of a root of the first primes, as FIPS 180-4 defines the constants. */
const primes = (() => {
  const found: number[] = [];
  for (let candidate = 2; found.length < 64; candidate += 1) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
})();
const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;
const roundConstants = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const start = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** SHA-256 in pieces, for browsers. Node's own is faster, and `@almanac/client/node` uses it. */
export const sha256 = (): Hash => {
  const state = start.slice();
  const words = new Int32Array(64);
  const block = new Uint8Array(blockBytes);
  const view = new DataView(block.buffer);
  let filled = 0;
  let total = 0;
  const fill = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length;) {
      const count = Math.min(blockBytes - filled, bytes.length - at);
      block.set(bytes.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled < blockBytes) return;
      compress(state, words, view);
      filled = 0;
    }
  };
  return {
    update: (bytes) => {
      total += bytes.length;
      fill(bytes);
    },
    hex: () => {
      // A 1 bit, zeros, and the length in bits, up to the end of a block.
      const padding = new Uint8Array(blockBytes - ((total + 8) % blockBytes) + 8);
      padding[0] = 0x80;
      const length = new DataView(padding.buffer);
      length.setUint32(padding.length - 8, Math.floor(total / 2 ** 29));
      length.setUint32(padding.length - 4, (total * 8) >>> 0);
      fill(padding);
      return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
    },
  };
};

const compress = (state: Int32Array, words: Int32Array, block: DataView): void => {
  const word = (at: number): number => words[at] ?? 0;
  for (let at = 0; at < 16; at += 1) words[at] = block.getInt32(at * 4);
  for (let at = 16; at < 64; at += 1) {
    const [early, late] = [word(at - 15), word(at - 2)];
    const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const high = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[at] = (word(at - 16) + low + word(at - 7) + high) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < 64; at += 1) {
    const high = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + high + ((e & f) ^ (~e & g)) + (roundConstants[at] ?? 0) + word(at)) | 0;
    const low = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [at, added] of [a, b, c, d, e, f, g, h].entries()) state[at] = ((state[at] ?? 0) + added) | 0;
};
