/** A row that could not be taken apart at all. */
export interface BrokenRow {
  readonly line: number;
  readonly reason: string;
  readonly text: string;
}

/** Some rows of a file, as many as one block of it held. */
export interface RowBlock {
  readonly rows: readonly (readonly string[])[];
  /** The line in the file, from 1, at which a row of this block begins. */
  readonly lineOf: (row: number) => number;
  readonly broken: readonly BrokenRow[];
}

/** A file whose form is known and whose rows have not been read yet. */
export interface Source {
  readonly format: 'csv' | 'jsonl';
  readonly columns: readonly string[];
  /** The place of a column in the rows; null where the file has none. Every call must come before `blocks`. */
  readonly findCell: (column: string) => number | null;
  readonly blocks: () => AsyncIterable<RowBlock>;
}

/** A record longer than this is no record: an unclosed quote, or a file of another kind. Keeps memory flat. */
export const recordCharsMax = 8 * 1024 * 1024;
