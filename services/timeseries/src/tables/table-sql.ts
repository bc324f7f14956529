/**
 * SQL that returns a table as JSON, CSV, JSON lines, Parquet or Arrow. ClickHouse writes all bytes. A text ends with a line
 * that has the number of rows, which `cutTable` removes.
 */
import { type BinaryForm, isBinaryForm, type NumberType, type SnapshotForm } from '@almanac/contracts';
import { wholeFormat } from '../rows/binary-format.js';
import { bookText, castsOf, levels, lineEnd } from '../rows/form-sql.js';
import { numbersAsNumbers } from '../rows/rows-sql.js';

/** What a column has. A `time` is a DateTime64, and a `book` needs the column `has_book` beside it. */
export type ColumnKind = 'text' | 'whole' | 'decimal' | 'time' | 'book';
export type Columns = Readonly<Record<string, ColumnKind>>;

export interface Table {
  readonly columns: Columns;
  /** A SELECT with these columns, in the order of the answer. */
  readonly rows: string;
  /** The row of the JSON form, if it is not flat. `${name:JSON}` stands for a column. */
  readonly jsonRow?: string | undefined;
}

export type TextForm = Exclude<SnapshotForm, BinaryForm>;

export const flatRow = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, kind]) => `"${name}":\${${name}:${kind === 'book' ? 'Raw' : 'JSON'}}`)
    .join(',');

const csvRow = (columns: Columns): string =>
  Object.keys(columns)
    .map((name) => `\${${name}:CSV}`)
    .join(',');

/** The start of a table, and all of it without rows. */
export const tableHeader = (form: TextForm, columns: Columns): string =>
  form === 'csv'
    ? `${Object.keys(columns)
        .map((name) => `"${name}"`)
        .join(',')}\r\n`
    : '';

const textColumn = (form: TextForm, numbers: NumberType, [name, kind]: readonly [string, ColumnKind]): string => {
  if (kind === 'time') return `toDecimal64(${name}, 6) AS ${name}`;
  if (kind === 'book') return bookText(form === 'csv' ? 'csv' : 'ndjson', name, numbers);
  return kind === 'decimal' ? `${castsOf(numbers)(name)} AS ${name}` : name;
};

const binaryColumn = (numbers: NumberType, [name, kind]: readonly [string, ColumnKind]): string => {
  // Arrow names the zone of a time, which is the server's without it.
  if (kind === 'time') return `toTimeZone(${name}, 'UTC') AS ${name}`;
  if (kind === 'book') return `${levels(name, numbers)} AS ${name}`;
  return kind === 'decimal' ? `${castsOf(numbers)(name)} AS ${name}` : name;
};

const settings = `max_threads = 1, ${numbersAsNumbers}`;

const templates = {
  json: { rowsBetween: ',', resultSet: '[${data}]\\n${rows:JSON}' },
  ndjson: { rowsBetween: lineEnd.ndjson, resultSet: `\${data}${lineEnd.ndjson}\${rows:JSON}` },
  csv: { rowsBetween: lineEnd.csv, resultSet: `\${data}${lineEnd.csv}\${rows:JSON}` },
} as const;

/** A row in which `${name:…}` stands for a column. */
export const tableRow = (form: TextForm, { columns, jsonRow }: Pick<Table, 'columns' | 'jsonRow'>): string =>
  form === 'csv' ? csvRow(columns) : `{${jsonRow ?? flatRow(columns)}}`;

export const tableSql = (form: SnapshotForm, { columns, rows, jsonRow }: Table, numbers: NumberType): string => {
  const names = Object.entries(columns);
  if (isBinaryForm(form)) {
    return `SELECT ${names.map((column) => binaryColumn(numbers, column)).join(', ')} FROM (${rows})\n${wholeFormat[form]}, max_threads = 1`;
  }
  // JSON has no types of numbers.
  const type = form === 'json' ? 'decimal' : numbers;
  const row = tableRow(form, { columns, jsonRow });
  const { rowsBetween, resultSet } = templates[form];
  return `SELECT ${names.map((column) => textColumn(form, type, column)).join(', ')} FROM (${rows})
FORMAT Template SETTINGS format_template_row_format = '${row}',
  format_template_rows_between_delimiter = '${rowsBetween}',
  format_template_resultset_format = '${resultSet}',
  format_csv_null_representation = '', ${settings}`;
};
