import { zstdDecompressSync } from 'node:zlib';
import {
  CompressionType,
  type DataType,
  type Field,
  type Schema,
  setCompressionCodec,
  type Table,
  tableFromIPC,
  Type,
  Version,
} from '@uwdata/flechette';
import { ImportError, sentenceOf } from '../../errors.js';
import type { RandomAccess } from '../packed/content.js';
import type { JsonRecord, RecordBlock, TableColumn } from '../source.js';
import { type ArrowMessage, arrowMessages } from './arrow-messages.js';
import { type ArrowType, arrowTypeOf } from './arrow-values.js';
import { unpackedLz4Frame } from './lz4-frame.js';
import { batchRows, floatCounter, type TableSource } from './table.js';

const depthMax = 32;
const unpackedMax = 512 * 1024 * 1024;

const onlyReads = (): never => {
  throw new Error('nothing is written');
};
setCompressionCodec(CompressionType.ZSTD, {
  decode: (bytes) => new Uint8Array(zstdDecompressSync(bytes, { maxOutputLength: unpackedMax })),
  encode: onlyReads,
});
setCompressionCodec(CompressionType.LZ4_FRAME, { decode: unpackedLz4Frame, encode: onlyReads });

/** Values keep all of their digits. */
const raw = { useBigInt: true, useBigIntTimestamp: true, useDecimalInt: true, useDate: false, useMap: false } as const;

/** The rows of an Arrow IPC file or stream. In memory are one record batch and the dictionaries. */
export const openArrow = async (
  name: string,
  { head, body }: { readonly head: RandomAccess; readonly body: RandomAccess },
): Promise<TableSource> => {
  const schema = await schemaOf(name, head);
  const columns = schema.fields.map((field) => ({ name: field.name, ...arrowTypeOf(field) }));
  const floats = floatCounter();
  const floatColumns = columns.flatMap((column) => (column.isFloat === true ? [column.name] : []));
  const first = await recordBlocks({ name, random: head, columns }, null, 1).next();
  return {
    format: 'arrow',
    numbering: 'record',
    first: first.done === true ? null : (first.value.records[0]?.value ?? null),
    table: { columns: columns.flatMap((column) => leavesOf(column)), floats: floats.counts, warnings: [] },
    blocks: async function* (wanted) {
      for await (const block of recordBlocks({ name, random: body, columns }, wanted ?? null, batchRows)) {
        floats.count(block.records, floatColumns);
        yield block;
      }
    },
  };
};

type ArrowColumn = ArrowType & { readonly name: string };

const schemaOf = async (name: string, random: RandomAccess): Promise<Schema> => {
  for await (const message of arrowMessages(name, random)) {
    if (message.kind !== 'schema') break;
    const { schema } = decoded(name, [message]);
    if (schema.endianness === 1)
      throw new ImportError(
        `${name}: Arrow files with the highest byte first are not supported. Write it again on this machine.`,
      );
    for (const field of schema.fields) {
      const fault = faultOf(field, schema);
      if (fault !== null) throw new ImportError(`${name}: the column ${field.name} ${fault}`);
    }
    return schema;
  }
  throw new ImportError(`${name}: the Arrow file has no schema`);
};

const childrenOf = ({ type }: Field): readonly Field[] => {
  const inner = 'dictionary' in type ? type.dictionary : type;
  return 'children' in inner ? inner.children : [];
};

/** What the library would read wrongly or not at all. */
const faultOf = (field: Field, { version = Version.V5 }: Schema): string | null => {
  if (depthOf(field) > depthMax)
    return `is nested ${depthOf(field)} levels deep. Up to ${depthMax} levels are supported.`;
  // It divides by a power of ten.
  if (hasType(field, (type) => type.typeId === Type.Decimal && type.scale < 0))
    return 'has decimals with a negative scale, which are not supported. Cast it to decimal(38, 0).';
  // These have a buffer more than in version 5.
  if (version < Version.V5 && hasType(field, ({ typeId }) => typeId === Type.RunEndEncoded))
    return 'has runs in a format before version 5, which are not supported. Write the file again in version 5.';
  return null;
};

const hasType = (field: Field, is: (type: DataType) => boolean): boolean =>
  is(field.type) || childrenOf(field).some((child) => hasType(child, is));

const depthOf = (field: Field): number =>
  1 + childrenOf(field).reduce((most, child) => Math.max(most, depthOf(child)), 0);

/** The fields of a struct are columns. */
const leavesOf = ({ name, type, time, children }: ArrowColumn): readonly TableColumn[] =>
  children?.flatMap((field) => leavesOf({ ...arrowTypeOf(field), name: `${name}.${field.name}` })) ?? [
    { name, type, ...(time && { time }) },
  ];

const decoded = (name: string, messages: readonly ArrowMessage[]): Table => {
  try {
    return tableFromIPC(
      messages.map(({ bytes }) => bytes),
      raw,
    );
  } catch (cause) {
    throw new ImportError(
      `${name}: the Arrow message at byte ${messages.at(-1)?.at ?? 0} is damaged or not supported (${sentenceOf(cause)})`,
      { cause },
    );
  }
};

interface OpenArrow {
  readonly name: string;
  readonly random: RandomAccess;
  readonly columns: readonly ArrowColumn[];
}

async function* recordBlocks(
  { name, random, columns }: OpenArrow,
  wanted: ReadonlySet<string> | null,
  rowsPerBlock: number,
): AsyncGenerator<RecordBlock, void, undefined> {
  const known: ArrowMessage[] = [];
  let line = 1;
  for await (const message of arrowMessages(name, random)) {
    if (message.kind === 'schema' && known.length === 0) known.push(message);
    if (message.kind === 'dictionary') replaceDictionary(known, message);
    if (message.kind !== 'batch') continue;
    const table = decoded(name, [...known, message]);
    const read = columns.flatMap((column, at) => {
      const values = table.getChildAt(at);
      return wanted === null || wanted.has(column.name) ? [{ ...column, values }] : [];
    });
    for (let from = 0; from < table.numRows; from += rowsPerBlock) {
      const records: JsonRecord[] = [];
      for (let row = from; row < Math.min(from + rowsPerBlock, table.numRows); row += 1) {
        const value: Record<string, unknown> = {};
        try {
          for (const column of read) value[column.name] = column.convert(column.values.at(row));
        } catch (cause) {
          throw new ImportError(
            `${name}: row ${line} in the Arrow message at byte ${message.at} is damaged (${sentenceOf(cause)})`,
            { cause },
          );
        }
        records.push({ value, line });
        line += 1;
      }
      yield { records, broken: [] };
    }
  }
}

/** A dictionary comes in the place of the one with its id, unless it adds to it. */
const replaceDictionary = (known: ArrowMessage[], message: ArrowMessage & { readonly kind: 'dictionary' }): void => {
  const isOld = (one: ArrowMessage): boolean => !message.isDelta && one.kind === 'dictionary' && one.id === message.id;
  const others = known.filter((one) => !isOld(one));
  known.splice(0, known.length, ...others, message);
};
