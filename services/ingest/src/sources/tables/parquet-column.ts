import { crc32 } from 'node:zlib';
import type { ColumnMetaData, DecodedArray, PageHeader, SchemaTree } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import { ImportError, sentenceOf } from '../../errors.js';
import type { RandomAccess } from '../packed/content.js';
import type { ParquetType } from './parquet-values.js';

export interface ColumnPlace {
  readonly random: RandomAccess;
  readonly metadata: ColumnMetaData;
  /** From the root to the leaf. */
  readonly schemaPath: readonly SchemaTree[];
  readonly type: ParquetType;
  /** For errors: `x.parquet: row group 3, column price`. */
  readonly place: string;
}

const headerBytes = 16 * 1024;
const headerBytesMax = 16 * 1024 * 1024;
/** A page is a megabyte as a rule. A larger one than this is an attack. */
const pageBytesMax = 512 * 1024 * 1024;

/**
 * The values of a column in one row group, page by page. hyparquet decodes a page, and its own readers decode a whole column,
 * which for 1,048,576 rows of text are gigabytes.
 */
export class ParquetColumn {
  readonly #place: ColumnPlace;
  readonly #end: number;
  readonly #isRepeated: boolean;
  readonly #decoder;
  #at: number;
  #dictionary: unknown[] | undefined;
  /** Values that have been read and not taken. */
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
    const element = schemaPath.at(-1)?.element;
    if (!element) throw new Error('a column has no schema');
    const { converted_type: _, logical_type: __, ...physical } = element;
    this.#decoder = {
      pathInSchema: metadata.path_in_schema,
      type: metadata.type,
      // Without its logical type, hyparquet leaves the values as they are stored, with all of their digits.
      element: physical,
      schemaPath: [...schemaPath],
      codec: metadata.codec,
      compressors,
      parsers: DEFAULT_PARSERS,
      utf8: false,
    };
  }

  /** The next rows, fewer at the end. A row that may continue on the next page is held back. */
  async take(rows: number): Promise<unknown[]> {
    while (this.#values.length - this.#taken - (this.#isRepeated ? 1 : 0) < rows && this.#at < this.#end)
      await this.#readNext();
    const taken = this.#values.slice(this.#taken, this.#taken + rows);
    this.#taken += taken.length;
    return taken;
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
    try {
      this.#readPage(header, bytes);
    } catch (cause) {
      throw this.#fault(`the page is damaged or not supported (${sentenceOf(cause)})`, pageAt, cause);
    }
  }

  #readPage(header: PageHeader, bytes: Buffer): void {
    const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
    if (header.type === 'INDEX_PAGE') return;
    if (header.type === 'DICTIONARY_PAGE') {
      const { data } = readPage(reader, header, this.#decoder, undefined, undefined, 0);
      this.#dictionary = Array.from<unknown>(data ?? []).map(this.#place.type.convert);
      return;
    }
    const page = header.data_page_header ?? header.data_page_header_v2;
    if (!page || page.num_values === 0) return;
    const isIndexed = page.encoding.endsWith('_DICTIONARY');
    if (isIndexed && !this.#dictionary) throw new Error('its dictionary is missing');
    // A row can begin on the page before.
    const open: unknown[] = this.#isRepeated ? this.#values.slice(this.#taken) : [];
    const { data } = readPage(reader, header, this.#decoder, this.#dictionary, open, 0);
    const read: unknown[] = converted(data, isIndexed ? null : this.#place.type.convert);
    const rest = this.#isRepeated ? [] : this.#values.slice(this.#taken);
    this.#values = rest.length === 0 ? read : rest.concat(read);
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

const converted = (data: DecodedArray | undefined, convert: ParquetType['convert'] | null): unknown[] => {
  const values = Array.isArray(data) ? (data as unknown[]) : Array.from<unknown>(data ?? []);
  if (convert !== null) for (let at = 0; at < values.length; at += 1) values[at] = nestedValue(values[at], convert);
  return values;
};

const nestedValue = (value: unknown, convert: ParquetType['convert']): unknown => {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) return convert(value);
  const list = value as unknown[];
  for (let at = 0; at < list.length; at += 1) list[at] = nestedValue(list[at], convert);
  return list;
};
