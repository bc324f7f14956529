/** Counts asks in a memory of a fixed size, whatever is asked. */
export interface FrequencySketch {
  increment(key: string): void;
  /** How often this was noted; less where something else took its place in between. */
  estimate(key: string): number;
}

/** 96 KB in all. A question that comes again after as many others is still known in one case of three, after a tenth of them in nine of ten. */
const slots = 16_384;
const countMax = 65_535;

/**
 * Each key has one place, which the one that came last holds: to keep the keys themselves would fill the memory with
 * texts that nobody needs once they are old. Two keys that share place and mark are counted as one, and an answer is
 * kept an ask too early.
 */
export const createFrequencySketch = (): FrequencySketch => {
  const fingerprints = new Uint32Array(slots);
  const counts = new Uint16Array(slots);
  return {
    increment: (key) => {
      const [place, fingerprint] = hashed(key);
      counts[place] = fingerprints[place] === fingerprint ? Math.min(countMax, (counts[place] ?? 0) + 1) : 1;
      fingerprints[place] = fingerprint;
    },
    estimate: (key) => {
      const [place, fingerprint] = hashed(key);
      return fingerprints[place] === fingerprint ? (counts[place] ?? 0) : 0;
    },
  };
};

/** Two hashes of a text by FNV-1a with two primes: its place, and the mark it leaves there. */
const hashed = (text: string): readonly [place: number, mark: number] => {
  let one = 0x811c9dc5;
  let other = 0x9e3779b9;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b);
  }
  return [((one >>> 16) ^ one) & (slots - 1), (other ^ (other >>> 15)) >>> 0];
};
