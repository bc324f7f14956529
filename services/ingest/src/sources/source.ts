import type { TimeUnit } from '../values/time.js';
import type { Cells } from './cells.js';

/** How a report numbers the rows of a file: by their first line, or one by one if lines mean nothing. */
export type Numbering = 'line' | 'record';

export interface BrokenRow {
  /** From 1, in the file's numbering. */
  readonly line: number;
  readonly reason: string;
  readonly text: string;
  /** The id of the market that the row is certainly of. Absent: it may be of any. */
  readonly of?: string;
}

export interface RowBlock {
  readonly rows: readonly (readonly string[])[];
  /** The position of a row of this block, from 1 in the file's numbering. */
  readonly lineOf: (row: number) => number;
  readonly broken: readonly BrokenRow[];
  /** The same rows before they are texts. Then `rows` is only made when it is asked for. */
  readonly cells?: Cells;
}

/** `jsonl`: one JSON object per line. `json`: one document with a list of objects. The last three state types. */
export const sourceFormats = ['csv', 'jsonl', 'json', 'parquet', 'arrow', 'sqlite'] as const;
export type SourceFormat = (typeof sourceFormats)[number];

/** How a column of a typed file states its times. */
export interface ColumnTime {
  readonly unit: Exclude<TimeUnit, 'iso'>;
  readonly hasZone: boolean;
}

/** A column of a file that states the types of its columns. */
export interface TableColumn {
  /** A dotted path inside of a struct. */
  readonly name: string;
  /** In the words of the format: `decimal(9,4)`, `timestamp[ms, UTC]`. */
  readonly type: string;
  /** Of a column of times. Its values are ISO texts in UTC. */
  readonly time?: ColumnTime;
}

/** What a typed file states about itself. */
export interface Table {
  readonly columns: readonly TableColumn[];
  /** By column: the binary floats that were read by their shortest decimal. */
  readonly floats: ReadonlyMap<string, number>;
  /** What a reader of the report must know about the whole file. */
  readonly warnings: readonly string[];
}

/** A file with a known format whose rows have not been read yet. */
export interface Source {
  readonly format: SourceFormat;
  readonly numbering: Numbering;
  readonly columns: readonly string[];
  /** By column: the unit of a column of times. Its cells are ISO texts. */
  readonly times?: ReadonlyMap<string, ColumnTime>;
  /** The cell of a column, or null if the file has no such column. All calls must come before `blocks`. */
  readonly findCell: (column: string) => number | null;
  /** `asCells`: blocks have `cells` where they can. */
  readonly blocks: (asCells?: boolean) => AsyncIterable<RowBlock>;
  /** Whether blocks can have `cells`. */
  readonly hasCells?: boolean;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface JsonRecord {
  readonly value: JsonObject;
  /** From 1. */
  readonly line: number;
  /** When a recorder received the answer around it. Absent if nothing says so. */
  readonly receivedUs?: number;
  /** What a recorder of answers states about its request. */
  readonly request?: JsonObject;
}

export interface RecordBlock {
  readonly records: readonly JsonRecord[];
  readonly broken: readonly BrokenRow[];
  /** The same records by column, of a file that is stored so. Then `records` is only made when it is asked for. */
  readonly byColumn?: TypedRows;
}

export interface TypedRows {
  readonly count: number;
  /** The number of the first record. */
  readonly line: number;
  /** By name. Absent: nested columns. */
  readonly columns: ReadonlyMap<string, TypedColumn>;
  /** One of the records, without making the others. */
  readonly record: (row: number) => JsonObject;
}

export interface TypedColumn {
  /** Of a column of times: its values are integers of this unit. */
  readonly time?: ColumnTime;
  readonly values: readonly unknown[];
  /** One of the values, without making the others. Absent: they are made. */
  readonly valueAt?: (row: number) => unknown;
  /** Of a column of times: the values without an array of objects. */
  readonly stored?: ArrayLike<unknown>;
  readonly coded?: CodedValues;
  /** Of a column of decimals: the integers of this many decimals that it stores. Absent: they are in a dictionary. */
  readonly decimals?: { readonly places: number; readonly stored: ArrayLike<unknown> };
  /** What a record has for a value. Absent: the value. */
  readonly shown?: (value: unknown) => unknown;
}

/** The same values as indexes of a dictionary. An index beyond its end is a row without a value. */
export interface CodedValues {
  readonly codes: Int32Array;
  readonly dictionary: readonly unknown[];
}

/** The objects of a JSON file, read block by block. A number that would lose digits stays the text of the source. */
export interface RecordSource {
  readonly format: Exclude<SourceFormat, 'csv'>;
  readonly numbering: Numbering;
  /** Only of Parquet and tables of SQLite. */
  readonly table?: Table;
  /** Identifies the file's format. `blocks` returns it again. Null if there is none. */
  readonly first: JsonObject | null;
  /** The key of the list of an answer without records. */
  readonly emptyList?: string | undefined;
  /** `wanted`: the keys that are read. A typed file leaves its other columns out. */
  readonly blocks: (wanted?: ReadonlySet<string>) => AsyncIterable<RecordBlock>;
}

/** A longer record means an unclosed quote or another format. The limit bounds the memory. */
export const recordCharsMax = 8 * 1024 * 1024;

export async function* following<T>(first: Iterable<T>, rest: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  yield* first;
  yield* rest;
}
