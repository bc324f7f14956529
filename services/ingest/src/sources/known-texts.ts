const slots = 16_384;

interface KnownText {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** Texts that come again, so that none is made of bytes that had one. A text may take the place of another one. */
export class KnownTexts {
  private readonly known: (KnownText | undefined)[] = Array.from({ length: slots }, () => undefined);

  /** The text of a range of bytes, which are all below 0x80. */
  of(bytes: Buffer, from: number, to: number): string {
    let hash = to - from;
    for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x0100_0193);
    const slot = (hash ^ (hash >>> 15)) & (slots - 1);
    const known = this.known[slot];
    if (known !== undefined && isSame(known.bytes, bytes, from, to)) return known.text;
    const copy = Buffer.from(bytes.subarray(from, to));
    const text = copy.toString('latin1');
    this.known[slot] = { bytes: copy, text };
    return text;
  }
}

const isSame = (known: Uint8Array, bytes: Buffer, from: number, to: number): boolean => {
  if (known.length !== to - from) return false;
  for (let at = 0; at < known.length; at += 1) if (known[at] !== bytes[from + at]) return false;
  return true;
};
