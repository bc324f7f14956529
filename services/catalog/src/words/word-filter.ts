/** A set of words that may also claim to have others (a Bloom filter). It needs two to four bytes a word. */
export interface WordFilter {
  add(word: string): void;
  mayHave(word: HashedWord): boolean;
}

/** A word for many filters is hashed once. */
export type HashedWord = readonly [first: number, step: number];

const bitsPerWord = 16;
const hashesN = 4;
const bitsMin = 1_024;

/** For this many words. With more than twice as many it claims to have every word. */
export const wordFilter = (expected: number): WordFilter => {
  const size = 2 ** Math.ceil(Math.log2(Math.max(bitsMin, expected * bitsPerWord)));
  const bits = new Uint8Array(size / 8);
  let left = (2 * size) / bitsPerWord;
  const has = ([first, step]: HashedWord): boolean => {
    for (let n = 0; n < hashesN; n += 1) {
      const bit = (first + n * step) & (size - 1);
      if (((bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  };
  return {
    add: (word) => {
      const hashed = hashedWord(word);
      if (has(hashed)) return;
      left -= 1;
      const [first, step] = hashed;
      for (let n = 0; n < hashesN; n += 1) {
        const bit = (first + n * step) & (size - 1);
        bits[bit >>> 3] = (bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
      }
    },
    mayHave: (hashed) => left < 0 || has(hashed),
  };
};

/** FNV-1a with two starts. The step is odd, so it reaches every bit. */
export const hashedWord = (word: string): HashedWord => {
  let [first, step] = [0x81_1c_9d_c5, 0x9d_c5_81_1c];
  for (let at = 0; at < word.length; at += 1) {
    const code = word.charCodeAt(at);
    first = Math.imul(first ^ code, 0x01_00_01_93);
    step = Math.imul(step ^ code, 0x01_00_01_93);
  }
  return [first ^ (first >>> 15), (step ^ (step >>> 13)) | 1];
};
