/** Estimates how often keys are requested, in memory of a fixed size. */
export type FrequencySketch = ReturnType<typeof createFrequencySketch>;

/** 96 KB. After as many other keys, one of three is still known; after a tenth of them, nine of ten. */
const slots = 16_384;
const countMax = 65_535;

/**
 * Each key has one slot, which the latest key occupies. Storing the keys themselves would fill the memory with old
 * texts. Two keys with the same slot and fingerprint count as one, so an answer may be cached one request too early.
 */
export const createFrequencySketch = () => {
  const fingerprints = new Uint32Array(slots);
  const counts = new Uint16Array(slots);
  return {
    increment: (key: string) => {
      const [place, fingerprint] = hashed(key);
      counts[place] = fingerprints[place] === fingerprint ? Math.min(countMax, (counts[place] ?? 0) + 1) : 1;
      fingerprints[place] = fingerprint;
    },
    /** How often this key was counted. Less if another key took its slot in between. */
    estimate: (key: string) => {
      const [place, fingerprint] = hashed(key);
      return fingerprints[place] === fingerprint ? (counts[place] ?? 0) : 0;
    },
  };
};

/** Two FNV-1a hashes of a text with different primes: its slot and its fingerprint. */
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
