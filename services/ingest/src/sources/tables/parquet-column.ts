import { crc32 } from 'node:zlib';
import type { ColumnMetaData, PageHeader, SchemaTree } from 'hyparquet';
import { pageCodecs } from './parquet-codecs.js';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import { ImportError, sentenceOf } from '../../errors.js';
import type { RandomAccess } from '../packed/content.js';
import type { CodedValues, TypedColumn } from '../source.js';
import { type FlatPage, flatPage } from './parquet-page.js';
import { type ParquetType, textOfBytes } from './parquet-values.js';

export interface ColumnPlace {
  readonly random: RandomAccess;
  readonly metadata: ColumnMetaData;
  /** From the root to the leaf. */
  readonly schemaPath: readonly SchemaTree[];
  readonly type: ParquetType;
  readonly shown: TypedColumn['shown'];
  /** For errors: `x.parquet: row group 3, column price`. */
  readonly place: string;
}

const headerBytes = 16 * 1024;
const headerBytesMax = 16 * 1024 * 1024;
/** A page is a megabyte as a rule. A larger one than this is an attack. */
const pageBytesMax = 512 * 1024 * 1024;

/**
 * The values of a column in one row group, page by page. In memory are its dictionary and the bytes of one page. Pages of lists, and
 * those of rare encodings, are decoded as a whole.
 */
export class ParquetColumn {
  readonly #place: ColumnPlace;
  readonly #end: number;
  readonly #isRepeated: boolean;
  readonly #isFlat: boolean;
  readonly #isOptional: boolean;
  readonly #decoder;
  #at: number;
  #pageAt = 0;
  #dictionary: unknown[] | undefined;
  #page: FlatPage | null = null;
  /** Without such a page: values that have been read and not taken. */
  #values: unknown[] = [];
  #taken = 0;

  constructor(place: ColumnPlace) {
    this.#place = place;
    const { metadata, schemaPath } = place;
    const { data_page_offset: data, dictionary_page_offset: dictionary } = metadata;
    this.#at = Number(dictionary !== undefined && dictionary > 0n && dictionary < data ? dictionary : data);
    this.#end = this.#at + Number(metadata.total_compressed_size);
    if (!(this.#at >= 4 && this.#end <= place.random.size)) throw this.#fault('its data lies outside of the file');
    this.#isRepeated = getMaxRepetitionLevel([...schemaPath]) > 0;
    this.#isFlat = schemaPath.length === 2 && !this.#isRepeated;
    const element = schemaPath.at(-1)?.element;
    if (!element) throw new Error('a column has no schema');
    this.#isOptional = element.repetition_type === 'OPTIONAL';
    const { converted_type: _, logical_type: __, ...physical } = element;
    this.#decoder = {
      pathInSchema: metadata.path_in_schema,
      type: metadata.type,
      // Without its logical type, hyparquet leaves the values as they are stored, with all of their digits.
      element: physical,
      schemaPath: [...schemaPath],
      codec: metadata.codec,
      compressors: pageCodecs,
      parsers: DEFAULT_PARSERS,
      utf8: false,
    };
  }

  /** The next rows. */
  async take(rows: number): Promise<TypedColumn> {
    const parts: TypedColumn[] = [];
    for (let left = rows; left > 0;) {
      const count = Math.min(left, this.#decodable());
      if (count === 0 && this.#at >= this.#end) throw this.#fault('rows are missing at its end');
      if (count === 0) await this.#readNext();
      else parts.push(this.#next(count));
      left -= count;
    }
    const [first] = parts;
    return parts.length === 1 && first ? first : this.#joined(parts);
  }

  /** Rows of several pages. */
  #joined(parts: readonly TypedColumn[]): TypedColumn {
    const coded = parts.flatMap((part) => part.coded ?? []);
    const [first] = coded;
    if (first && coded.length === parts.length && coded.every(({ dictionary }) => dictionary === first.dictionary)) {
      const codes = coded.flatMap((part) => Array.from(part.codes));
      return codedColumn(this.#column([]), { codes: Int32Array.from(codes), dictionary: first.dictionary });
    }
    const stored = parts.flatMap(({ decimals, stored: times }) => {
      const integers = decimals?.stored ?? times;
      return integers ? [integers] : [];
    });
    if (stored.length === parts.length) return this.#storedColumn(stored.flatMap((part) => Array.from(part)));
    return this.#column(parts.flatMap(({ values }) => values));
  }

  #storedColumn(stored: ArrayLike<unknown>): TypedColumn {
    const { type } = this.#place;
    const decimals = type.decimals === undefined ? {} : { decimals: { places: type.decimals, stored } };
    const times = this.#place.shown ? { stored } : {};
    return lateColumn({ ...this.#column([]), ...decimals, ...times }, stored.length, (row) =>
      nestedValue(stored[row], type.convert),
    );
  }

  /** A row that may continue on the next page is held back. */
  #decodable(): number {
    if (this.#page) return this.#page.left();
    const held = this.#isRepeated && this.#at < this.#end ? 1 : 0;
    return Math.max(0, this.#values.length - this.#taken - held);
  }

  #next(count: number): TypedColumn {
    if (!this.#page) {
      this.#taken += count;
      return this.#column(this.#values.slice(this.#taken - count, this.#taken));
    }
    const taken = this.#orFault(this.#page, (page) => page.take(count));
    return 'codes' in taken
      ? codedColumn(this.#column([]), { codes: taken.codes, dictionary: this.#dictionary ?? [] })
      : this.#storedColumn(taken.stored);
  }

  #column(values: readonly unknown[]): TypedColumn {
    const { shown, type } = this.#place;
    return { values, ...(shown && { shown }), ...(shown && type.time && { time: type.time }) };
  }

  async #readNext(): Promise<void> {
    const pageAt = this.#at;
    const { header, dataAt } = await this.#header();
    const { compressed_page_size: size, uncompressed_page_size: unpackedSize } = header;
    if (!(size >= 0 && dataAt + size <= this.#end)) throw this.#fault('the page is longer than its column', pageAt);
    if (!(unpackedSize >= 0 && unpackedSize <= pageBytesMax))
      throw this.#fault(`the page has ${unpackedSize} bytes, more than ${pageBytesMax}`, pageAt);
    const bytes = await this.#place.random.read(dataAt, size);
    if (bytes.length < size) throw this.#fault('the file ends in the page', pageAt);
    if (header.crc !== undefined && crc32(bytes) !== header.crc >>> 0)
      throw this.#fault('the page is damaged (its checksum differs)', pageAt);
    this.#at = dataAt + size;
    this.#pageAt = pageAt;
    this.#orFault(header, () => this.#openPage(header, bytes));
  }

  #orFault<From, To>(from: From, read: (from: From) => To): To {
    try {
      return read(from);
    } catch (cause) {
      throw this.#fault(`the page is damaged or not supported (${sentenceOf(cause)})`, this.#pageAt, cause);
    }
  }

  #openPage(header: PageHeader, bytes: Buffer): void {
    const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
    const { convert } = this.#place.type;
    if (header.type === 'INDEX_PAGE') return;
    if (header.type === 'DICTIONARY_PAGE') {
      const { data } = readPage(reader, header, this.#decoder, undefined, undefined, 0);
      this.#dictionary = converted(data ?? [], convert);
      return;
    }
    const page = header.data_page_header ?? header.data_page_header_v2;
    if (!page || page.num_values === 0) return;
    const isIndexed = page.encoding.endsWith('_DICTIONARY');
    if (isIndexed && !this.#dictionary) throw new Error('its dictionary is missing');
    const [none, isText] = [this.#dictionary?.length ?? 0, convert === textOfBytes];
    const [decoder, isOptional] = [this.#decoder, this.#isOptional];
    this.#page = this.#isFlat ? flatPage({ header, bytes, decoder, isOptional, isText, none }) : null;
    if (this.#page) return;
    // A row can begin on the page before.
    const open: unknown[] = this.#isRepeated ? this.#values.slice(this.#taken) : [];
    const { data } = readPage(reader, header, this.#decoder, this.#dictionary, open, 0);
    this.#values = converted(data ?? [], isIndexed ? asRead : convert);
    this.#taken = 0;
  }

  /** Statistics of long texts make a header long. */
  async #header(): Promise<{ header: PageHeader; dataAt: number }> {
    for (let wanted = headerBytes; ; wanted *= 8) {
      const bytes = await this.#place.random.read(this.#at, Math.min(wanted, this.#end - this.#at));
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
      try {
        return { header: parquetHeader(reader), dataAt: this.#at + reader.offset };
      } catch (cause) {
        if (wanted > headerBytesMax || bytes.length < wanted)
          throw this.#fault(`the header of the page is damaged (${sentenceOf(cause)})`, this.#at, cause);
      }
    }
  }

  #fault(what: string, pageAt?: number, cause?: unknown): ImportError {
    const page = pageAt === undefined ? '' : `, page at byte ${pageAt}`;
    return new ImportError(`${this.#place.place}${page}: ${what}`, { cause });
  }
}

type Convert = ParquetType['convert'];

const asRead: Convert = (value) => value ?? null;

const codedColumn = (column: TypedColumn, coded: CodedValues): TypedColumn =>
  lateColumn({ ...column, coded }, coded.codes.length, (row) => coded.dictionary[coded.codes[row] ?? -1] ?? null);

/** A column whose values are made when they are asked for. */
const lateColumn = (column: TypedColumn, count: number, valueAt: (row: number) => unknown): TypedColumn => {
  let values: unknown[] | null = null;
  return {
    ...column,
    valueAt,
    get values() {
      return (values ??= Array.from({ length: count }, (_, row) => valueAt(row)));
    },
  };
};

const converted = (stored: ArrayLike<unknown>, convert: Convert): unknown[] =>
  Array.from(stored, (value) => nestedValue(value, convert));

const nestedValue = (value: unknown, convert: Convert): unknown => {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) return convert(value);
  const list = value as unknown[];
  for (let at = 0; at < list.length; at += 1) list[at] = nestedValue(list[at], convert);
  return list;
};
