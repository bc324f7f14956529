import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { ImportError, sentenceOf } from '../../errors.js';
import type { Content, Step } from '../packed/content.js';

import type { JsonObject, RecordBlock, TableColumn } from '../source.js';
import { batchRows, floatCounter, floatOf, integerOf, type TableSource } from './table.js';

type File = Pick<Content, 'name' | 'path'>;

/** The tables of a database that have rows to read. */
export const tablesIn = (file: File): readonly Step[] =>
  withDatabase(file, (database) => {
    const names = database
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
      )
      .all()
      .map(({ name }) => String(name));
    if (names.length === 0) {
      const why = lacksWal(file) ? missingWal : 'the SQLite database has no tables';
      throw new ImportError(`${file.name}: ${why}`);
    }
    return names.map((name, index) => ({ name, index }));
  });

/** The rows of a table, whose content is named `x.sqlite/trades`. A text of JSON is read as what it contains. */
export const openTable = (file: File, table: string): TableSource => {
  const columns = withDatabase(file, (database) =>
    database
      .prepare('SELECT name, type FROM pragma_table_info(?)')
      .all(table)
      .map(({ name, type }): TableColumn => ({ name: String(name), type: String(type).toLowerCase() || 'any' })),
  );
  const floats = floatCounter();
  const names = columns.map(({ name }) => name);
  return {
    format: 'sqlite',
    numbering: 'record',
    first: [...rowBlocks(file, table, { names, most: 1 })][0]?.records[0]?.value ?? null,
    table: { columns, floats: floats.counts, warnings: lacksWal(file) ? [missingWal] : [] },
    blocks: async function* (wanted) {
      const read = names.filter((name) => wanted?.has(name) ?? true);
      for (const block of rowBlocks(file, table, { names: read, most: Infinity })) {
        floats.count(block.records, read);
        yield block;
        // The rows come without waiting, so others get their turn here.
        await Promise.resolve();
      }
    },
  };
};

function* rowBlocks(
  file: File,
  table: string,
  { names, most }: { readonly names: readonly string[]; readonly most: number },
): Generator<RecordBlock, void, undefined> {
  const database = openDatabase(file);
  let line = 0;
  try {
    if (names.length === 0) return;
    const statement = database.prepare(`SELECT ${names.map(quoted).join(', ')} FROM ${quoted(table)}`);
    statement.setReadBigInts(true);
    let records: { value: JsonObject; line: number }[] = [];
    for (const row of statement.iterate()) {
      line += 1;
      records.push({ value: recordOf(row), line });
      if (line >= most) break;
      if (records.length < batchRows) continue;
      yield { records, broken: [] };
      records = [];
    }
    if (records.length > 0) yield { records, broken: [] };
  } catch (cause) {
    throw new ImportError(`${file.name}: the table cannot be read after row ${line} (${sentenceOf(cause)})`, { cause });
  } finally {
    database.close();
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const recordOf = (row: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, valueOf(value)]));

const valueOf = (value: unknown): unknown => {
  if (typeof value === 'bigint') return integerOf(value);
  if (typeof value === 'number') return floatOf(value);
  if (!(value instanceof Uint8Array)) return value;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  return isUtf8(bytes) ? bytes.toString('utf8') : `0x${bytes.toString('hex')}`;
};

const withDatabase = <T>(file: File, work: (database: DatabaseSync) => T): T => {
  const database = openDatabase(file);
  try {
    return work(database);
  } catch (cause) {
    if (cause instanceof ImportError) throw cause;
    throw new ImportError(`${file.name}: the SQLite database is cut or damaged (${sentenceOf(cause)})`, { cause });
  } finally {
    database.close();
  }
};

const openDatabase = (file: File): DatabaseSync => {
  const { name, path } = file;
  if (path === null) throw new Error('a database is a file on disk');
  const { pages, size, pageBytes } = headerOf(path);
  if (pages > 0 && pages * pageBytes > size)
    throw new ImportError(
      `${name}: the SQLite database is cut: it has ${size} bytes of ${pages * pageBytes}${isWal(path) ? `, or ${missingWal}` : ''}`,
    );
  try {
    // Without its WAL nobody writes to it, and SQLite would create files beside it.
    const url = pathToFileURL(path);
    if (!existsSync(`${path}-wal`)) url.search = 'immutable=1';
    return new DatabaseSync(url, { readOnly: true });
  } catch (cause) {
    throw new ImportError(`${name}: the SQLite database cannot be opened (${sentenceOf(cause)})`, { cause });
  }
};

interface Header {
  readonly isWal: boolean;
  readonly pageBytes: number;
  readonly pages: number;
  readonly size: number;
}

const headerOf = (path: string): Header => {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(100);
    readSync(file, bytes, 0, 100, 0);
    const size = fstatSync(file).size;
    const stated = bytes.readUInt16BE(16);
    // The number of pages counts only if the last writer knew the field.
    const pages = bytes.readUInt32BE(24) === bytes.readUInt32BE(92) ? bytes.readUInt32BE(28) : 0;
    return { isWal: bytes[18] === 2, pageBytes: stated === 1 ? 65_536 : stated, pages, size };
  } finally {
    closeSync(file);
  }
};

const isWal = (path: string): boolean => headerOf(path).isWal;

const lacksWal = ({ path }: File): boolean => path !== null && isWal(path) && !existsSync(`${path}-wal`);

const missingWal =
  'the SQLite database is in WAL mode, and its WAL, the file of the same name with -wal at the end, is not beside it. If it was copied while ' +
  'a program wrote to it, its newest rows are missing: copy both files, or make the copy with VACUUM INTO';
