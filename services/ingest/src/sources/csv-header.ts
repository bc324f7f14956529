import { ImportError } from '../errors.js';

/** What a line is if it is no row. `again`: the header of the file. `other`: a header with other columns or another order. */
export type HeaderLine = 'again' | 'other' | null;

export const headerAgain = 'the header of the file again';

export const otherHeader = (path: string, line: number): ImportError =>
  new ImportError(
    `${path}: line ${line} is a header with other columns, or in another order. Lines from there on are not read. Split the file before it.`,
  );

export interface HeaderLines {
  /** Whether a cell that begins with this character can be a name of a column. Asked for the first and the last cell of each line. */
  readonly canBegin: (code: number) => boolean;
  readonly kindOf: (cells: readonly string[]) => HeaderLine;
}

/** Finds headers inside of a file that was put together from several: lines of which more than half are names of columns. */
export const headerLines = (columns: readonly string[]): HeaderLines => {
  const names = new Set(columns.filter((name) => name !== ''));
  const begins = new Set(Array.from(names, (name) => name.charCodeAt(0)));
  return {
    canBegin: (code) => begins.has(code),
    kindOf: (cells) => {
      const trimmed = cells.map((cell) => cell.trim());
      const named = new Set(trimmed.filter((cell) => names.has(cell))).size;
      if (named < 2 || named * 2 <= columns.length) return null;
      return trimmed.every((cell, index) => cell === columns[index]) ? 'again' : 'other';
    },
  };
};
