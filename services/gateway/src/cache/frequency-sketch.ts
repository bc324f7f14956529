/** Estimates how often keys are requested, in memory of a fixed size. */
export type FrequencySketch = ReturnType<typeof createFrequencySketch>;

/** 384 KB for 65,536 keys: four times the details of markets that the response cache holds in its usual 64 MB. */
const buckets = 8_192;
const bucketSlots = 8;
const countMax = 65_535;

/**
 * Each key belongs to one bucket, which holds the keys that were counted last. Storing the keys themselves would fill the
 * memory with old texts. Two keys with the same bucket and fingerprint count as one, so an answer may be cached one
 * request too early.
 */
export const createFrequencySketch = () => {
  const fingerprints = new Uint32Array(buckets * bucketSlots);
  const counts = new Uint16Array(buckets * bucketSlots);
  /** The slot of a fingerprint. The last slot of the bucket if it is not there. */
  const slotOf = (first: number, fingerprint: number): number => {
    const last = first + bucketSlots - 1;
    let slot = first;
    while (slot < last && fingerprints[slot] !== fingerprint) slot += 1;
    return slot;
  };
  const countAt = (slot: number, fingerprint: number): number =>
    fingerprints[slot] === fingerprint ? (counts[slot] ?? 0) : 0;
  return {
    increment: (key: string) => {
      const [first, fingerprint] = hashed(key);
      const slot = slotOf(first, fingerprint);
      const count = Math.min(countMax, countAt(slot, fingerprint) + 1);
      // The latest key comes first, so the last slot has the key that was counted longest ago.
      fingerprints.copyWithin(first + 1, first, slot);
      counts.copyWithin(first + 1, first, slot);
      fingerprints[first] = fingerprint;
      counts[first] = count;
    },
    /** How often this key was counted. 0 if the others of its bucket took its place in between. */
    estimate: (key: string) => {
      const [first, fingerprint] = hashed(key);
      return countAt(slotOf(first, fingerprint), fingerprint);
    },
  };
};

/** Two FNV-1a hashes of a text with different primes: the first slot of its bucket, and its fingerprint. */
const hashed = (text: string): readonly [first: number, fingerprint: number] => {
  let one = 0x811c9dc5;
  let other = 0x9e3779b9;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b);
  }
  return [(((one >>> 16) ^ one) & (buckets - 1)) * bucketSlots, (other ^ (other >>> 15)) >>> 0];
};
