import type { Line } from './event-data.js';

/** Prices of markets as rows of cells. A row has one market, or several neighbours where there are more than rows. */
export interface PriceGrid {
  readonly rows: readonly (readonly string[])[];
  readonly columns: number;
  /** By `row * columns + column`, the highest price of a row. NaN where none is known. */
  readonly values: Float64Array;
}

/** The lines are in the order of the rows, the lowest first. */
export const gridOf = (lines: readonly Line[], rowsMax: number): PriceGrid => {
  const perRow = Math.max(1, Math.ceil(lines.length / rowsMax));
  const columns = timesOf(lines).length;
  const groups = Array.from({ length: Math.ceil(lines.length / perRow) }, (_, row) =>
    lines.slice(row * perRow, (row + 1) * perRow),
  );
  const values = new Float64Array(groups.length * columns).fill(Number.NaN);
  groups.forEach((group, row) => {
    for (const { prices } of group) {
      for (let column = 0; column < columns; column += 1) {
        const [price, at] = [prices[column] ?? Number.NaN, row * columns + column];
        const before = values[at] ?? Number.NaN;
        if (!(price <= before)) values[at] = Number.isNaN(price) ? before : price;
      }
    }
  });
  return { rows: groups.map((group) => group.map(({ ticker }) => ticker)), columns, values };
};

/** The times of all lines. Those that were not read yet have none. */
export const timesOf = (lines: readonly Pick<Line, 'ts'>[]): readonly number[] =>
  lines.find(({ ts }) => ts.length > 0)?.ts ?? [];
