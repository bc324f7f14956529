/**
 * SQL that returns a page of rows as CSV, JSON lines or Parquet. ClickHouse writes all bytes.
 *
 * For CSV and JSON lines without books, one query in the format Template returns a first line with three figures,
 * `<matched> <remaining> <last_us>`, and then the page. Without rows there is no first line. With books, `figuresSql`
 * returns the figures in a query before. The same holds for Parquet, which has no place for them.
 */
import {
  book,
  bookRow,
  bookRowsOf,
  type RowSelection,
  rowSelections,
  names,
  numbersAsNumbers,
  plainColumns,
  plainRow,
  shown,
} from './rows-sql.js';

export type TextForm = 'csv' | 'ndjson';

const marketColumns = ['ticker', 'event_ticker', 'series'] as const;
const bookColumns = ['orderbook_yes', 'orderbook_no'] as const;
/** The columns of an exported file, in the same order. */
const csvColumns = (withBooks: boolean): string[] => [
  ...marketColumns,
  'ts',
  ...plainColumns,
  ...(withBooks ? bookColumns : []),
];

/** The start of a page of text, and all of it if there are no rows. RFC 4180 ends lines with CR LF. */
export const headerOf = (form: TextForm, withBooks: boolean): string =>
  form === 'csv'
    ? `${csvColumns(withBooks)
        .map((name) => `"${name}"`)
        .join(',')}\r\n`
    : '';

/** The same in each row, as in an export. Params: ticker, event_ticker, series; empty if unknown. */
const ofMarket = `{ticker:String} AS ticker, nullIf({event_ticker:String}, '') AS event_ticker,
  nullIf({series:String}, '') AS series`;

const levels = (side: string): string => `arrayMap(level -> [level.1, level.2], ${side})`;
const csvBook = (side: string): string => `if(has_book, toJSONString(${levels(side)}), NULL) AS ${side}`;

const rowOf = (form: TextForm, withBooks: boolean): string => {
  if (form === 'ndjson') return `{${plainRow}${withBooks ? `,${bookRow}` : ''}}`;
  return csvColumns(withBooks)
    .map((name) => `\${${name}:CSV}`)
    .join(',');
};

const lineEnd = { csv: '\\r\\n', ndjson: '\\n' } as const;

const templateOf = (form: TextForm, withBooks: boolean): string => `FORMAT Template SETTINGS
  format_template_row_format = '\${lead:Raw}${rowOf(form, withBooks)}',
  format_template_rows_between_delimiter = '${lineEnd[form]}',
  format_template_resultset_format = '\${data}${lineEnd[form]}',
  format_csv_null_representation = '', max_threads = 1,
  ${numbersAsNumbers}`;

const firstRowTextOf = (text: string): string => `if(rowNumberInAllBlocks() = 0, ${text}, '') AS lead`;
const headerText = (form: TextForm, withBooks: boolean): string =>
  `'${headerOf(form, withBooks).replace('\r\n', lineEnd.csv)}'`;

const columnsOf = (form: TextForm): string => (form === 'csv' ? `${ofMarket}, ${shown}` : shown);

const topSql = (form: TextForm, selection: RowSelection): string => {
  const figures = [`matched`, `' '`, `remaining`, `' '`, `last_us`, `'\\n'`].map((part) =>
    part.startsWith("'") ? part : `toString(${part})`,
  );
  return `SELECT ${columnsOf(form)}, ${firstRowTextOf(`concat(${figures.join(', ')}, ${headerText(form, false)})`)}
FROM (
  SELECT *, toUnixTimestamp64Micro(max(ts) OVER ()) AS last_us
  FROM (
    SELECT ${names}, matched, count() OVER () AS remaining
    FROM (${rowSelections[selection](`${names}, count() OVER () AS matched`)}) ORDER BY ts LIMIT {limit:UInt32}
  )
  ORDER BY ts
)
${templateOf(form, false)}`;
};

const bookSql = (form: TextForm, selection: RowSelection): string => {
  const bookOf = form === 'csv' ? csvBook : book;
  const books = bookColumns.map((side) => bookOf(side)).join(', ');
  return `SELECT ${columnsOf(form)}, ${books}, ${firstRowTextOf(headerText(form, true))}
FROM (${bookRowsOf(selection)})
${templateOf(form, true)}`;
};

const bothOf = (sqlOf: (selection: RowSelection) => string) =>
  ({ everyRow: sqlOf('everyRow'), downsampled: sqlOf('downsampled') }) as const;

export const topTextSql = {
  csv: bothOf((selection) => topSql('csv', selection)),
  ndjson: bothOf((selection) => topSql('ndjson', selection)),
} as const;

/** Same params as `bookRowsSql`. CSV also needs those of the market. */
export const bookTextSql = {
  csv: bothOf((selection) => bookSql('csv', selection)),
  ndjson: bothOf((selection) => bookSql('ndjson', selection)),
} as const;

/** ClickHouse cannot write a null list to Parquet, so a row without a book has empty lists, as in an export. */
const parquetSql = (selection: RowSelection, withBooks: boolean): string => {
  const books = withBooks ? bookColumns.map((side) => `, ${levels(side)} AS ${side}`).join('') : '';
  return `SELECT ${ofMarket}, toNullable(ts) AS ts, ${plainColumns.join(', ')}${books}
FROM (${withBooks ? bookRowsOf(selection) : `SELECT ${names} FROM (${rowSelections[selection](names)}) ORDER BY ts`})
FORMAT Parquet SETTINGS output_format_parquet_compression_method = 'zstd', max_threads = 1`;
};

/** Same params as `bookRowsSql`, plus those of the market. */
export const parquetRowsSql = {
  top: bothOf((selection) => parquetSql(selection, false)),
  books: bothOf((selection) => parquetSql(selection, true)),
} as const;
