import { type Table, tableHeader, tableRow, type TextForm } from './table-sql.js';
import type { TableBytes } from './read-table.js';

/** A value of a column: null, the text of a number, or a text that needs quotes. */
export type Cell = string | null | { readonly quoted: string };

export interface TableText {
  /** The values of one row, in the order of the columns. */
  add(cells: readonly Cell[]): void;
  result(): TableBytes;
}

const ends = { json: '', ndjson: '\n', csv: '\r\n' } as const;

/** Texts with these are written in more than one way. */
const unusual = /[\p{Cc}\u2028\u2029]/u;
export const isPlainText = (text: string): boolean => !unusual.test(text);

const jsonText = (text: string): string => JSON.stringify(text).replaceAll('/', '\\/');
const csvText = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Text is flattened to bytes at this length. */
const textMax = 262_144;

/** Writes the bytes of a table that ClickHouse writes for `tableSql`. Every text in it must be usual. */
export const tableText = (form: TextForm, table: Pick<Table, 'columns' | 'jsonRow'>): TableText => {
  const [first = '', ...parts] = tableRow(form, table).split(/\$\{(\w+):\w+\}/);
  const names = Object.keys(table.columns);
  // Names and the text after each take turns.
  const columns = parts.flatMap((name, at) =>
    at % 2 === 0 ? [{ place: names.indexOf(name), after: parts[at + 1] ?? '' }] : [],
  );
  const [nothing, quote] = form === 'csv' ? ['', csvText] : ['null', jsonText];
  const pieces = [Buffer.from(form === 'json' ? '[' : tableHeader(form, table.columns))];
  let [text, count] = ['', 0];
  const flatten = (): void => {
    pieces.push(Buffer.from(text));
    text = '';
  };
  return {
    add: (cells) => {
      text += form === 'json' && count > 0 ? `,${first}` : first;
      for (const { place, after } of columns) {
        const cell = cells[place] ?? null;
        text += (cell === null ? nothing : typeof cell === 'string' ? cell : quote(cell.quoted)) + after;
      }
      text += ends[form];
      count += 1;
      if (text.length > textMax) flatten();
    },
    result: () => {
      if (form === 'json') text += ']';
      flatten();
      return { bytes: Buffer.concat(pieces), count };
    },
  };
};
