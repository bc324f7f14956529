import type { Column } from '../../mapping/compile-mapping.js';
import { type Cells, Dictionary } from '../../sources/cells.js';

export const noNumbers = new Float64Array();

export type ReadColumn = (
  column: Pick<Column<unknown>, 'name' | 'cell' | 'time' | 'decimal'> | null,
) => Float64Array | null;

/** The markets of a row mostly share its time. */
export const sharedColumns = (cells: Cells): ReadColumn => {
  const known = new Map<string, Float64Array>();
  return (column) => {
    if (column === null) return null;
    const { cell, time, decimal } = column;
    const key = `${cell} ${column.name}`;
    const values =
      known.get(key) ??
      (time ? cells.times(cell, time) : decimal ? cells.decimals(cell, decimal) : cells.integers(cell));
    known.set(key, values);
    return values;
  };
};

/** What the codes of a column mean, as long as its dictionary keeps them. */
export class Coded<T> {
  private readonly dictionary = new Dictionary();
  private meanings: (T | undefined)[] = [];
  private codes: Int32Array = new Int32Array();

  begin(cells: Cells, cell: number): void {
    if (!this.dictionary.keeps(cells.count)) this.meanings = [];
    this.codes = cells.codes(cell, this.dictionary);
  }

  codeAt(row: number): number {
    return this.codes[row] ?? 0;
  }

  textAt(row: number): string {
    return this.dictionary.texts[this.codes[row] ?? -1] ?? '';
  }

  meaningAt(row: number): T | undefined {
    return this.meanings[this.codes[row] ?? -1];
  }

  mean(row: number, meaning: T): void {
    this.meanings[this.codes[row] ?? 0] = meaning;
  }
}
