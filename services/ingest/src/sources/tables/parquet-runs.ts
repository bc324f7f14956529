/** Numbers of a few bits each, as runs of one number or packed in eights. They are decoded as they are taken. */
export class PackedNumbers {
  readonly #bytes: Uint8Array;
  readonly #width: number;
  readonly #mask: number;
  #at: number;
  /** Of the run: numbers that are left, and the one that is repeated or the bit in the eight. */
  #left = 0;
  #repeated: number | null = null;
  #bit = 0;

  constructor(bytes: Uint8Array, at: number, width: number) {
    if (width > 32) throw new Error(`numbers of ${width} bits`);
    this.#bytes = bytes;
    this.#at = at;
    this.#width = width;
    this.#mask = width === 32 ? 0xffff_ffff : 2 ** width - 1;
  }

  take(count: number): Int32Array {
    const taken = new Int32Array(count);
    if (this.#width === 0) return taken;
    for (let done = 0; done < count;) {
      if (this.#left === 0) this.#nextRun();
      const next = Math.min(this.#left, count - done);
      if (this.#repeated === null) this.#unpack(taken, done, next);
      else taken.fill(this.#repeated, done, done + next);
      this.#left -= next;
      done += next;
    }
    return taken;
  }

  #nextRun(): void {
    if (this.#at >= this.#bytes.length) throw new Error('its numbers end early');
    const head = this.#varint();
    if (head % 2 === 1) {
      this.#left = Math.floor(head / 2) * 8;
      this.#repeated = null;
      this.#bit = 0;
      return;
    }
    this.#left = head / 2;
    this.#repeated = 0;
    for (let shift = 0; shift < this.#width; shift += 8) this.#repeated |= (this.#bytes[this.#at++] ?? 0) << shift;
  }

  #varint(): number {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  }

  /** Hot. Eight numbers fill as many bytes as each has bits. */
  #unpack(taken: Int32Array, from: number, count: number): void {
    const [bytes, width, mask] = [this.#bytes, this.#width, this.#mask];
    let [at, bit] = [this.#at, this.#bit];
    for (let index = from; index < from + count; index += 1) {
      const [byte, shift] = [at + (bit >>> 3), bit & 7];
      const low =
        (bytes[byte] ?? 0) |
        ((bytes[byte + 1] ?? 0) << 8) |
        ((bytes[byte + 2] ?? 0) << 16) |
        ((bytes[byte + 3] ?? 0) << 24);
      const high = shift + width > 32 ? (bytes[byte + 4] ?? 0) << (32 - shift) : 0;
      taken[index] = ((low >>> shift) | high) & mask;
      bit += width;
      if (bit === 8 * width) [at, bit] = [at + width, 0];
    }
    [this.#at, this.#bit] = [at, bit];
  }
}
