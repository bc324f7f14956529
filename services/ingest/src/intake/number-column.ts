import { writeInteger, writeScaled, writeSeconds } from '../values/scaled.js';
import type { NativeBlock } from './native-block.js';

export interface NumberForm {
  readonly column: string;
  readonly type: string;
  readonly bytes: 4 | 8;
  /** `us`: a time. A number: decimals, as integers of this place. */
  readonly as: 'us' | 'integer' | number;
  readonly isNullable: boolean;
}

const two32 = 2 ** 32;
const backslash = 92;
const letterN = 78;

/** A column of a batch. `words` are the low and the high half of each number. */
export class NumberColumn {
  /** Whether a row has a value. Otherwise the column can be left out. */
  hasValue = false;
  private readonly nulls: Uint8Array;
  private readonly words: Int32Array;

  constructor(
    private readonly form: NumberForm,
    capacity: number,
  ) {
    this.nulls = new Uint8Array(capacity);
    this.words = new Int32Array((capacity * form.bytes) / 4);
  }

  put(row: number, value: number): void {
    this.hasValue = true;
    if (this.form.bytes === 4) this.words[row] = value;
    else {
      this.words[2 * row] = value % two32;
      this.words[2 * row + 1] = value / two32;
    }
  }

  putExact(row: number, value: bigint): void {
    this.hasValue = true;
    if (this.form.bytes === 4) this.words[row] = Number(value);
    else {
      this.words[2 * row] = Number(BigInt.asIntN(32, value));
      this.words[2 * row + 1] = Number(value >> 32n);
    }
  }

  putNull(row: number): void {
    this.nulls[row] = 1;
  }

  /** Writes a value as a batch of texts has it, because the digest of a row is that of its text. Returns where it ends. */
  writeText(bytes: Buffer, at: number, value: number): number {
    const { as } = this.form;
    if (as === 'us') return writeSeconds(bytes, at, value);
    return as === 'integer' ? writeInteger(bytes, at, value) : writeScaled(bytes, at, value, as);
  }

  writeTo(block: NativeBlock, rows: number): void {
    const { column, type, bytes, isNullable } = this.form;
    block.numbers(column, type, this.words.subarray(0, (bytes / 4) * rows), isNullable ? this.nulls : null);
  }

  empty(): void {
    this.nulls.fill(0);
    this.words.fill(0);
    this.hasValue = false;
  }
}

/** Writes a missing value as a batch of texts has it. */
export const writeNothing = (bytes: Buffer, at: number): number => {
  bytes[at] = backslash;
  bytes[at + 1] = letterN;
  return at + 2;
};
