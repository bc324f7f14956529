/** A set of words that may also claim to have others (a Bloom filter). It needs two to four bytes a word. */
export interface WordFilter {
  add(word: string): void;
  mayHave(word: string): boolean;
}

const bitsPerWord = 16;
const hashesN = 4;
const bitsMin = 1_024;

/** For this many words. With more than twice as many it claims to have every word. */
export const wordFilter = (expected: number): WordFilter => {
  const size = 2 ** Math.ceil(Math.log2(Math.max(bitsMin, expected * bitsPerWord)));
  const bits = new Uint8Array(size / 8);
  let left = (2 * size) / bitsPerWord;
  const bitsOf = (word: string): number[] => {
    const [first, step] = hashesOf(word);
    return Array.from({ length: hashesN }, (_, n) => (first + n * step) & (size - 1));
  };
  const has = (bit: number): boolean => ((bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  return {
    add: (word) => {
      const found = bitsOf(word);
      if (found.every(has)) return;
      left -= 1;
      for (const bit of found) bits[bit >>> 3] = (bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
    },
    mayHave: (word) => left < 0 || bitsOf(word).every(has),
  };
};

/** FNV-1a with two starts. The step is odd, so it reaches every bit. */
const hashesOf = (word: string): [first: number, step: number] => {
  let [first, step] = [0x81_1c_9d_c5, 0x9d_c5_81_1c];
  for (let at = 0; at < word.length; at += 1) {
    const code = word.charCodeAt(at);
    first = Math.imul(first ^ code, 0x01_00_01_93);
    step = Math.imul(step ^ code, 0x01_00_01_93);
  }
  return [first ^ (first >>> 15), (step ^ (step >>> 13)) | 1];
};
