import type { DataReader, PageHeader } from 'hyparquet';
import type { readPage } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { PackedNumbers } from './parquet-runs.js';

export type ColumnDecoder = Parameters<typeof readPage>[2];

/** The next values of a page: as they are stored, or codes of its dictionary. Without a value: null, or the code `none`. */
export type PageValues = { readonly stored: ArrayLike<unknown> } | { readonly codes: Int32Array };

/** The values of one page of a flat column. They are decoded as they are taken, because a page of 1 MB can have a million. */
export interface FlatPage {
  readonly left: () => number;
  readonly take: (count: number) => PageValues;
}

interface OpenPage {
  readonly header: PageHeader;
  /** As stored. */
  readonly bytes: Buffer;
  readonly decoder: ColumnDecoder;
  readonly isOptional: boolean;
  /** Whether values of bytes become texts, which costs less without an array for each. */
  readonly isText: boolean;
  /** The size of the dictionary, which is the code of a row without a value. */
  readonly none: number;
}

/** Null if its encoding is only read as a whole. */
export const flatPage = (page: OpenPage): FlatPage | null => {
  const { header, decoder } = page;
  const stated = header.data_page_header ?? header.data_page_header_v2;
  if (!stated) return null;
  const { encoding, num_values: count } = stated;
  const isBoolean = decoder.type === 'BOOLEAN';
  const isCoded = encoding.endsWith('_DICTIONARY');
  if (!isCoded && (encoding !== 'PLAIN' || isBoolean)) return null;
  const { bytes, levels, valuesAt } = unpacked(page);
  let left = count;
  const values = isCoded
    ? codeReader(new PackedNumbers(bytes, valuesAt + 1, bytes[valuesAt] ?? 0), page.none)
    : storedReader(bytes, valuesAt, { decoder, isText: page.isText && decoder.type === 'BYTE_ARRAY' });
  return {
    left: () => left,
    take: (rows) => {
      left -= rows;
      const present = levels?.take(rows) ?? null;
      return values(rows, present?.includes(0) === true ? present : null);
    },
  };
};

/** The values begin after the levels, which say whether a row has one. */
const unpacked = ({ header, bytes, decoder, isOptional }: OpenPage) => {
  const { codec, compressors } = decoder;
  const { uncompressed_page_size: size, data_page_header_v2: second } = header;
  const levelsOf = (from: Uint8Array, start: number, end: number): PackedNumbers | null =>
    isOptional ? new PackedNumbers(from.subarray(0, end), start, 1) : null;
  if (!second) {
    const page = decompressPage(bytes, size, codec, compressors);
    if (!isOptional) return { bytes: page, levels: null, valuesAt: 0 };
    const end = 4 + new DataView(page.buffer, page.byteOffset, page.length).getUint32(0, true);
    return { bytes: page, levels: levelsOf(page, 4, end), valuesAt: end };
  }
  const start = second.repetition_levels_byte_length;
  const end = start + second.definition_levels_byte_length;
  const rest = bytes.subarray(end);
  const isPacked = second.is_compressed !== false;
  const page = isPacked && rest.length > 0 ? decompressPage(rest, size - end, codec, compressors) : rest;
  return { bytes: page, levels: levelsOf(bytes, start, end), valuesAt: 0 };
};

type ReadValues = (rows: number, present: Int32Array | null) => PageValues;

const codeReader =
  (numbers: PackedNumbers, none: number): ReadValues =>
  (rows, present) => {
    const codes = numbers.take(present === null ? rows : countOf(present));
    for (let at = 0; at < codes.length; at += 1)
      if ((codes[at] ?? 0) >>> 0 >= none) throw new Error('a value lies outside of its dictionary');
    if (present === null) return { codes };
    const spread = new Int32Array(rows);
    for (let row = 0, at = 0; row < rows; row += 1) spread[row] = present[row] === 1 ? (codes[at++] ?? 0) : none;
    return { codes: spread };
  };

const storedReader = (
  bytes: Uint8Array,
  at: number,
  { decoder: { type, element }, isText }: { readonly decoder: ColumnDecoder; readonly isText: boolean },
): ReadValues => {
  const texts = isText ? textReader(bytes, at) : null;
  const reader: DataReader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: at };
  return (rows, present) => {
    const count = present === null ? rows : countOf(present);
    if (count === 0) return { stored: nothing(rows) };
    const stored: ArrayLike<unknown> = texts?.(count) ?? readPlain(reader, type, count, element.type_length);
    if (reader.offset > bytes.length) throw new Error('its values end early');
    if (present === null) return { stored };
    let from = 0;
    return { stored: Array.from(present, (level) => (level === 1 ? stored[from++] : null)) };
  };
};

let nulls: readonly null[] = [];

/** Most columns of messages are empty in most rows. */
const nothing = (rows: number): ArrayLike<unknown> => {
  if (nulls.length !== rows) nulls = Array.from({ length: rows }, () => null);
  return nulls;
};

/** Each value after its length. What is not ASCII stays bytes. */
const textReader = (page: Uint8Array, from: number) => {
  const bytes = Buffer.from(page.buffer, page.byteOffset, page.length);
  let at = from;
  const next = (): unknown => {
    const start = at + 4;
    at = start + bytes.readUInt32LE(at);
    if (at > bytes.length) throw new Error('its values end early');
    for (let place = start; place < at; place += 1) if ((bytes[place] ?? 0) >= 0x80) return bytes.subarray(start, at);
    return bytes.toString('latin1', start, at);
  };
  return (count: number): unknown[] => Array.from({ length: count }, next);
};

const countOf = (present: Int32Array): number => {
  let count = 0;
  for (const level of present) count += level;
  return count;
};
