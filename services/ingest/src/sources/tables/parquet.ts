import { type FileMetaData, parquetMetadata, parquetSchema, type RowGroup, type SchemaTree } from 'hyparquet';
import { assembleNested } from 'hyparquet/src/assemble.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import { ImportError, sentenceOf } from '../../errors.js';
import type { RandomAccess } from '../packed/content.js';
import type { JsonObject, JsonRecord, RecordBlock, TableColumn, TypedColumn, TypedRows } from '../source.js';
import { ParquetColumn } from './parquet-column.js';
import { type ParquetType, parquetTypeOf } from './parquet-values.js';
import { batchRows, floatCounter, type TableSource } from './table.js';

const depthMax = 32;
/** Footers of 10,000 row groups have tens of megabytes. */
const footerBytesMax = 512 * 1024 * 1024;

/** The rows of a Parquet file. In memory are one page of each column and the rows of one batch. */
export const openParquet = async (
  name: string,
  { footer, pages: random }: { readonly footer: RandomAccess; readonly pages: RandomAccess },
): Promise<TableSource> => {
  const metadata = await footerOf(name, footer);
  const schema = parquetSchema(metadata);
  const tooDeep = schema.children.find((column) => depthOf(column) > depthMax);
  if (tooDeep)
    throw new ImportError(
      `${name}: the column ${tooDeep.element.name} is nested ${depthOf(tooDeep)} levels deep. Up to ${depthMax} levels are supported.`,
    );
  const leaves = leavesOf(schema);
  const floats = floatCounter();
  const file: OpenParquet = { name, random, metadata, schema, leaves };
  const floatColumns = schema.children
    .filter(({ children, path }) => children.length === 0 && leaves.get(path.join('.'))?.isFloat === true)
    .map(({ element }) => element.name);
  const first = await rowBlocks(file, null, 1).next();
  return {
    format: 'parquet',
    numbering: 'record',
    first: first.done === true ? null : (first.value.records[0]?.value ?? null),
    table: { columns: columnsOf(schema, leaves), floats: floats.counts, warnings: [] },
    blocks: async function* (wanted) {
      for await (const block of rowBlocks(file, wanted ?? null, batchRows)) {
        if (block.byColumn) floats.countColumns(block.byColumn.columns, floatColumns);
        yield block;
      }
    },
  };
};

interface OpenParquet {
  readonly name: string;
  readonly random: RandomAccess;
  readonly metadata: FileMetaData;
  readonly schema: SchemaTree;
  /** By dotted path. */
  readonly leaves: ReadonlyMap<string, ParquetType>;
}

const footerOf = async (name: string, random: RandomAccess): Promise<FileMetaData> => {
  const { size } = random;
  const end = await random.read(Math.max(0, size - 8), 8);
  const magic = end.toString('latin1', 4);
  if (magic === 'PARE')
    throw new ImportError(`${name}: encrypted Parquet files are not supported. Write it again without encryption.`);
  if (size < 12 || magic !== 'PAR1')
    throw new ImportError(`${name}: the Parquet file is cut: its footer is missing at its end (byte ${size})`);
  const length = end.readUInt32LE(0);
  if (length > size - 12 || length > footerBytesMax)
    throw new ImportError(
      `${name}: the footer of the Parquet file is wrong: it states ${length} bytes, and the file has ${size}`,
    );
  const bytes = await random.read(size - length - 8, length + 8);
  try {
    return parquetMetadata(bytes, { geoparquet: false });
  } catch (cause) {
    throw new ImportError(
      `${name}: the footer of the Parquet file at byte ${size - length - 8} is damaged (${sentenceOf(cause)})`,
      { cause },
    );
  }
};

const depthOf = (tree: SchemaTree): number =>
  1 + tree.children.reduce((most, child) => Math.max(most, depthOf(child)), 0);

const leavesOf = (schema: SchemaTree): ReadonlyMap<string, ParquetType> => {
  const leaves = new Map<string, ParquetType>();
  const visit = (tree: SchemaTree): void => {
    if (tree.children.length === 0) leaves.set(tree.path.join('.'), parquetTypeOf(tree.element));
    for (const child of tree.children) visit(child);
  };
  for (const child of schema.children) visit(child);
  return leaves;
};

/** A list is one column, as it is in JSON. The fields of a struct are columns. */
const columnsOf = (schema: SchemaTree, leaves: OpenParquet['leaves']): readonly TableColumn[] => {
  const visit = (tree: SchemaTree): readonly TableColumn[] => {
    const name = tree.path.join('.');
    const leaf = leaves.get(name);
    if (leaf)
      return [
        tree.element.repetition_type === 'REPEATED' ? { name, type: `list of ${leaf.type}` } : columnOf(name, leaf),
      ];
    const { converted_type: converted, repetition_type: repetition } = tree.element;
    if (converted === 'LIST' || repetition === 'REPEATED') return [{ name, type: 'list' }];
    if (converted === 'MAP' || converted === 'MAP_KEY_VALUE') return [{ name, type: 'map' }];
    return tree.children.flatMap(visit);
  };
  return schema.children.flatMap(visit);
};

const columnOf = (name: string, { type, time }: ParquetType): TableColumn => ({ name, type, ...(time && { time }) });

async function* rowBlocks(
  file: OpenParquet,
  wanted: ReadonlySet<string> | null,
  rowsPerBlock: number,
): AsyncGenerator<RecordBlock, void, undefined> {
  const columns = file.schema.children.filter(({ element }) => wanted === null || wanted.has(element.name));
  let line = 1;
  for (const [group, rowGroup] of file.metadata.row_groups.entries()) {
    const rows = Number(rowGroup.num_rows);
    // pyarrow writes a table without rows as a group without pages, whose places mean nothing.
    if (rows === 0) continue;
    const readers = columns.map((column) => columnReader(file, { group, rowGroup, column }));
    for (let done = 0; done < rows;) {
      const count = Math.min(rowsPerBlock, rows - done);
      const values: TypedColumn[] = [];
      for (const read of readers) values.push(await read(count));
      yield columnsBlock(columns, { values, count, line });
      done += count;
      line += count;
    }
  }
}

const columnsBlock = (
  columns: readonly SchemaTree[],
  { values, count, line }: { readonly values: readonly TypedColumn[]; count: number; line: number },
): RecordBlock & { readonly byColumn: TypedRows } => {
  const typed = columns.map(({ element }, index): [string, TypedColumn] => [
    element.name,
    values[index] ?? { values: [] },
  ]);
  const flat = new Map(typed.filter((_, index) => columns[index]?.children.length === 0));
  const record = (row: number): JsonObject => recordOf(typed, row);
  let records: readonly JsonRecord[] | null = null;
  return {
    get records() {
      return (records ??= Array.from({ length: count }, (_, row) => ({ value: record(row), line: line + row })));
    },
    broken: [],
    byColumn: { count, line, columns: flat, record },
  };
};

const recordOf = (columns: readonly (readonly [string, TypedColumn])[], row: number): JsonObject => {
  const value: Record<string, unknown> = {};
  for (const [name, column] of columns) {
    const stored = (column.valueAt ? column.valueAt(row) : column.values[row]) ?? null;
    value[name] = column.shown && stored !== null ? column.shown(stored) : stored;
  }
  return value;
};

/** The next values of a column, which has several leaves if it is nested. */
type ColumnReader = (rows: number) => Promise<TypedColumn>;

interface GroupColumn {
  readonly group: number;
  readonly rowGroup: RowGroup;
  readonly column: SchemaTree;
}

const columnReader = (
  { name, random, schema, leaves }: OpenParquet,
  { group, rowGroup, column }: GroupColumn,
): ColumnReader => {
  const { type: physical, repetition_type: repetition } = column.element;
  const isInteger = column.children.length === 0 && repetition !== 'REPEATED' && physical === 'INT64';
  const time = isInteger ? leaves.get(column.path.join('.')) : undefined;
  // Times stay as they are stored.
  const shown = time?.time ? time.convert : undefined;
  const place = `${name}: row group ${group + 1}, column ${column.element.name}`;
  const parts = rowGroup.columns.flatMap(({ meta_data: metadata, file_path: elsewhere }) => {
    if (metadata?.path_in_schema[0] !== column.element.name) return [];
    if (elsewhere !== undefined && elsewhere !== '')
      throw new ImportError(`${place}: its data is in another file, ${elsewhere}`);
    const path = metadata.path_in_schema;
    const type = leaves.get(path.join('.'));
    if (!type) throw new ImportError(`${place}: the schema does not have it`);
    const schemaPath = getTreePath(schema, path);
    const read = shown ? { ...type, convert: asStored } : type;
    return [{ path, reader: new ParquetColumn({ random, metadata, schemaPath, type: read, shown, place }) }];
  });
  const [first] = parts;
  if (!first) throw new ImportError(`${place}: its data is missing`);
  if (column.children.length === 0) return (rows) => first.reader.take(rows);
  return async (rows) => {
    const leafValues = new Map<string, unknown[]>();
    for (const { path, reader } of parts) leafValues.set(path.join('.'), [...(await reader.take(rows)).values]);
    assembleNested(leafValues, column, DEFAULT_PARSERS);
    return { values: leafValues.get(column.element.name) ?? [] };
  };
};

const asStored = (raw: unknown): unknown => raw;
