/** How the rows of a file are counted in a report: by the line they begin at, or one by one where lines say nothing. */
export type Numbering = 'line' | 'record';

/** A row that could not be taken apart at all. */
export interface BrokenRow {
  /** From 1, in the file's numbering. */
  readonly line: number;
  readonly reason: string;
  readonly text: string;
}

/** Some rows of a file, as many as one block of it held. */
export interface RowBlock {
  readonly rows: readonly (readonly string[])[];
  /** Where in the file, from 1 and in its numbering, a row of this block stands. */
  readonly lineOf: (row: number) => number;
  readonly broken: readonly BrokenRow[];
}

/** A file whose form is known and whose rows have not been read yet. */
export interface Source {
  /** `jsonl`: one JSON object a line; `json`: one document with a list of objects. */
  readonly format: 'csv' | 'jsonl' | 'json';
  readonly numbering: Numbering;
  readonly columns: readonly string[];
  /** The place of a column in the rows; null where the file has none. Every call must come before `blocks`. */
  readonly findCell: (column: string) => number | null;
  readonly blocks: () => AsyncIterable<RowBlock>;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface JsonRecord {
  readonly value: JsonObject;
  /** From 1, in the file's numbering. */
  readonly line: number;
}

export interface RecordBlock {
  readonly records: readonly JsonRecord[];
  readonly broken: readonly BrokenRow[];
}

/**
 * The objects of a JSON file, read block by block. A number comes as a number only where that keeps all of its digits,
 * else as the text that it was written as.
 */
export interface RecordSource {
  readonly format: 'jsonl' | 'json';
  readonly numbering: Numbering;
  /** By which the file is recognised; it comes again in `blocks`. Null: there is none. */
  readonly first: JsonObject | null;
  readonly blocks: () => AsyncIterable<RecordBlock>;
}

/** A record longer than this is no record: an unclosed quote, or a file of another kind. Keeps memory flat. */
export const recordCharsMax = 8 * 1024 * 1024;

export async function* following<T>(first: Iterable<T>, rest: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  yield* first;
  yield* rest;
}
