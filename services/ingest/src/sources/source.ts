/** How a report numbers the rows of a file: by their first line, or one by one if lines mean nothing. */
export type Numbering = 'line' | 'record';

export interface BrokenRow {
  /** From 1, in the file's numbering. */
  readonly line: number;
  readonly reason: string;
  readonly text: string;
}

export interface RowBlock {
  readonly rows: readonly (readonly string[])[];
  /** The position of a row of this block, from 1 in the file's numbering. */
  readonly lineOf: (row: number) => number;
  readonly broken: readonly BrokenRow[];
}

/** A file with a known format whose rows have not been read yet. */
export interface Source {
  /** `jsonl`: one JSON object per line. `json`: one document with a list of objects. */
  readonly format: 'csv' | 'jsonl' | 'json';
  readonly numbering: Numbering;
  readonly columns: readonly string[];
  /** The cell of a column, or null if the file has no such column. All calls must come before `blocks`. */
  readonly findCell: (column: string) => number | null;
  readonly blocks: () => AsyncIterable<RowBlock>;
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
}

export interface RecordBlock {
  readonly records: readonly JsonRecord[];
  readonly broken: readonly BrokenRow[];
}

/** The objects of a JSON file, read block by block. A number that would lose digits stays the text of the source. */
export interface RecordSource {
  readonly format: 'jsonl' | 'json';
  readonly numbering: Numbering;
  /** Identifies the file's format. `blocks` returns it again. Null if there is none. */
  readonly first: JsonObject | null;
  /** The key of the list of an answer without records. */
  readonly emptyList?: string | undefined;
  readonly blocks: () => AsyncIterable<RecordBlock>;
}

/** A longer record means an unclosed quote or another format. The limit bounds the memory. */
export const recordCharsMax = 8 * 1024 * 1024;

export async function* following<T>(first: Iterable<T>, rest: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  yield* first;
  yield* rest;
}
