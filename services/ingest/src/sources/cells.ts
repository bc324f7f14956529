import type { CodedValues, ColumnTime } from './source.js';
import type { TimeUnit } from '../values/time.js';

/** In a column of numbers: an empty cell, and a cell that only its text decides. */
export const emptyCell = Infinity;
export const unreadCell = NaN;

/** Decimals below are exact as integers of their last place, also in binary floats. */
export const scaledMax = 2 ** 52;

/** How a mapping reads a column of times. */
export interface TimeForm {
  readonly unit?: TimeUnit | undefined;
  readonly assume_zone?: string | undefined;
  readonly declared?: ColumnTime | undefined;
}

/** How a mapping reads a column of decimals: what is stored is an integer of the power of ten `-places`. */
export interface DecimalForm {
  readonly pointLeft: number;
  /** More decimals would be rounded. */
  readonly decimals: number;
  readonly floatNoise: boolean;
  readonly places: number;
}

/**
 * The cells of a block by column, before any of them is a text. A number that a column gives is exactly what the row's
 * text means, and unaltered. Everything that is not plain is an `unreadCell`, so the rules for it are only those of texts.
 */
export interface Cells {
  readonly count: number;
  /** The texts of a row, as `rows` of the block has them. */
  row(index: number): string[];
  text(cell: number, row: number): string;
  /** For each row the code of its text, an index of `texts`. */
  codes(cell: number, dictionary: Dictionary): Int32Array;
  /** In microseconds. */
  times(cell: number, form: TimeForm): Float64Array;
  decimals(cell: number, form: DecimalForm): Float64Array;
  integers(cell: number): Float64Array;
}

const textsMax = 65_536;
const slots = 4 * textsMax;

/** The distinct texts of a column, in bounded memory: a full dictionary is emptied between two blocks. */
export class Dictionary {
  texts: string[] = [];
  private readonly table = new Int32Array(slots);
  private readonly values = new Map<unknown, number>();
  /** The codes of the values of the dictionary of a file, plus 1. */
  private translated: { readonly of: readonly unknown[]; readonly codes: Int32Array } | null = null;

  /** Before the codes of a block. Returns false if the codes of before mean nothing any more. */
  keeps(rows: number): boolean {
    if (this.texts.length + rows <= 2 * textsMax && this.texts.length <= textsMax) return true;
    this.texts = [];
    this.table.fill(0);
    this.values.clear();
    this.translated = null;
    return false;
  }

  /** The code of a part of a text. Hot: it compares characters and creates a text only for a new one. */
  codeOf(text: string, from: number, to: number): number {
    let hash = to - from;
    for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x85ebca6b) ^ (hash >>> 13);
    for (let slot = (hash ^ (hash >>> 15)) & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const code = (this.table[slot] ?? 0) - 1;
      if (code < 0) {
        this.table[slot] = this.texts.length + 1;
        // A copy, because a part of a text would keep its whole block in memory.
        return this.texts.push(Buffer.from(text.slice(from, to)).toString()) - 1;
      }
      if (isPart(this.texts[code] ?? '', text, from, to)) return code;
    }
  }

  /** The code of a value of a typed column. `textOf` gives its text. */
  codeOfValue(value: unknown, textOf: (value: unknown) => string): number {
    const known = this.values.get(value);
    if (known !== undefined) return known;
    const code = this.texts.push(textOf(value)) - 1;
    this.values.set(value, code);
    return code;
  }

  codesOf({ codes, dictionary }: CodedValues, textOf: (value: unknown) => string): Int32Array {
    if (this.translated?.of !== dictionary)
      this.translated = { of: dictionary, codes: new Int32Array(dictionary.length + 1) };
    const { codes: known } = this.translated;
    return codes.map((code) => (known[code] ||= 1 + this.codeOfValue(dictionary[code] ?? null, textOf)) - 1);
  }
}

const isPart = (part: string, text: string, from: number, to: number): boolean => {
  if (part.length !== to - from) return false;
  for (let at = from; at < to; at += 1) if (part.charCodeAt(at - from) !== text.charCodeAt(at)) return false;
  return true;
};
