/**
 * SQL that returns a page of rows as CSV, JSON lines, Parquet or Arrow. ClickHouse writes all bytes.
 *
 * For CSV and JSON lines without books, one query in the format Template returns a first line with three figures,
 * `<matched> <remaining> <last_us>`, and then the page. Without rows there is no first line. With books, `figuresSql`
 * returns the figures in a query before. The same holds for Parquet and Arrow, which have no place for them.
 */
import { type BinaryForm, fieldKinds, type NumberType, type ObservationField } from '@almanac/contracts';
import { streamedFormat, wholeFormat } from './binary-format.js';
import {
  bookRow,
  bookRowsOf,
  bucket,
  columnsOf,
  inWindow,
  namesOf,
  numbersAsNumbers,
  type RowSelection,
  rowSelections,
  rowTemplate,
  secondsAs,
} from './rows-sql.js';

export type TextForm = 'csv' | 'ndjson';

export const marketColumns = ['ticker', 'event_ticker', 'series'] as const;
const bookColumns = ['orderbook_yes', 'orderbook_no'] as const;

/** The columns that only some reads have. */
export interface ExtraColumns {
  readonly withSizes: boolean;
  readonly withBooks: boolean;
}

/** The columns of an exported file, in the same order. */
const csvColumns = ({ withSizes, withBooks }: ExtraColumns): string[] => [
  ...marketColumns,
  'ts',
  ...columnsOf(withSizes),
  ...(withBooks ? bookColumns : []),
];

/** The start of a page of text, and all of it if there are no rows. RFC 4180 ends lines with CR LF. */
export const headerOf = (form: TextForm, extra: ExtraColumns): string =>
  form === 'csv'
    ? `${csvColumns(extra)
        .map((name) => `"${name}"`)
        .join(',')}\r\n`
    : '';

/** The same in each row, as in an export. Params: ticker, event_ticker, series; empty if unknown. */
export const ofMarket = `{ticker:String} AS ticker, nullIf({event_ticker:String}, '') AS event_ticker,
  nullIf({series:String}, '') AS series`;

/** How numbers are written. A float has the value nearest to the decimal. */
export const castsOf = (numbers: NumberType): ((column: string) => string) =>
  numbers === 'decimal' ? (column) => column : (column) => `toFloat64(${column})`;

export const levels = (side: string, numbers: NumberType): string => {
  const cast = castsOf(numbers);
  return `arrayMap(level -> [${cast('level.1')}, ${cast('level.2')}], ${side})`;
};
export const bookText = (form: TextForm, side: string, numbers: NumberType): string =>
  `if(has_book, toJSONString(${levels(side, numbers)}), ${form === 'csv' ? 'NULL' : `'null'`}) AS ${side}`;

/** The fields of a row. `timeAs` writes a time. */
const fieldsAs = (
  { numbers, withSizes }: Pick<FormOptions, 'numbers' | 'withSizes'>,
  timeAs: (column: string) => string,
): string => {
  const decimalAs = castsOf(numbers);
  const fieldAs = (name: ObservationField): string => {
    if (fieldKinds[name] === 'time') return timeAs(name);
    return fieldKinds[name] === 'whole' ? name : `${decimalAs(name)} AS ${name}`;
  };
  return columnsOf(withSizes).map(fieldAs).join(', ');
};

export const rowOf = (form: TextForm, extra: ExtraColumns): string => {
  if (form === 'ndjson') return `{${rowTemplate(extra.withSizes)}${extra.withBooks ? `,${bookRow}` : ''}}`;
  return csvColumns(extra)
    .map((name) => `\${${name}:CSV}`)
    .join(',');
};

export const lineEnd = { csv: '\\r\\n', ndjson: '\\n' } as const;

interface TemplateParts {
  readonly row: string;
  /** Between two rows. Default: the end of a line. */
  readonly between?: string;
  readonly resultSet: string;
  readonly threads: number;
}

export const templateOf = (
  form: TextForm,
  { row, between = lineEnd[form], resultSet, threads }: TemplateParts,
): string => `FORMAT Template SETTINGS
  format_template_row_format = '${row}',
  format_template_rows_between_delimiter = '${between}',
  format_template_resultset_format = '${resultSet}',
  format_csv_null_representation = '', max_threads = ${threads},
  ${numbersAsNumbers}`;

const pageTemplate = (form: TextForm, extra: ExtraColumns): string =>
  templateOf(form, {
    row: `\${lead:Raw}${rowOf(form, extra)}`,
    resultSet: `\${data}${lineEnd[form]}`,
    threads: 1,
  });

const firstRowTextOf = (text: string): string => `if(rowNumberInAllBlocks() = 0, ${text}, '') AS lead`;
const headerText = (form: TextForm, extra: ExtraColumns): string =>
  `'${headerOf(form, extra).replace('\r\n', lineEnd.csv)}'`;

export const textColumnsOf = (form: TextForm, options: Omit<FormOptions, 'selection'>): string => {
  const columns = `${secondsAs('ts')}, ${fieldsAs(options, secondsAs)}`;
  return form === 'csv' ? `${ofMarket}, ${columns}` : columns;
};

/** The columns and options of a read in a form other than JSON. */
export interface FormOptions extends ExtraColumns {
  readonly selection: RowSelection;
  readonly numbers: NumberType;
}

/** A page of text without books, with its figures. Params: those of `topRowsSql`; for CSV also those of the market. */
export const topTextSql = (form: TextForm, options: FormOptions): string => {
  const { selection, withSizes } = options;
  const extra = { withSizes, withBooks: false };
  const names = namesOf(withSizes);
  const figures = [`matched`, `' '`, `remaining`, `' '`, `last_us`, `'\\n'`].map((part) =>
    part.startsWith("'") ? part : `toString(${part})`,
  );
  const firstRowText = firstRowTextOf(`concat(${figures.join(', ')}, ${headerText(form, extra)})`);
  return `SELECT ${textColumnsOf(form, options)}, ${firstRowText}
FROM (
  SELECT *, toUnixTimestamp64Micro(max(ts) OVER ()) AS last_us
  FROM (
    SELECT ${names}, matched, count() OVER () AS remaining
    FROM (${rowSelections[selection](`${names}, count() OVER () AS matched`)}) ORDER BY ts LIMIT {limit:UInt32}
  )
  ORDER BY ts
)
${pageTemplate(form, extra)}`;
};

export const bookTextColumns = (form: TextForm, numbers: NumberType): string =>
  bookColumns.map((side) => bookText(form, side, numbers)).join(', ');

/** A page of text with books. Params: those of `bookRowsSql`; for CSV also those of the market. */
export const bookTextSql = (form: TextForm, options: FormOptions): string =>
  `SELECT ${textColumnsOf(form, options)}, ${bookTextColumns(form, options.numbers)}, ${firstRowTextOf(headerText(form, options))}
FROM (${bookRowsOf(options.selection, options.withSizes)})
${pageTemplate(form, options)}`;

/** ClickHouse cannot write a null list to Parquet or Arrow, so a row without a book has empty lists, as in an export. */
const binaryColumns = (options: Omit<FormOptions, 'selection'>): string => {
  const { withBooks, numbers } = options;
  const books = withBooks ? bookColumns.map((side) => `, ${levels(side, numbers)} AS ${side}`).join('') : '';
  return `${ofMarket}, toNullable(ts) AS ts, ${fieldsAs(options, (name) => name)}${books}`;
};

/** A page as Parquet or Arrow. Params: those of `bookRowsSql`, plus those of the market. */
export const binaryRowsSql = (form: BinaryForm, { selection, ...columns }: FormOptions): string => {
  const names = namesOf(columns.withSizes);
  const rows = columns.withBooks
    ? bookRowsOf(selection, columns.withSizes)
    : `SELECT ${names} FROM (${rowSelections[selection](names)}) ORDER BY ts`;
  return `SELECT ${binaryColumns(columns)}
FROM (${rows})
${wholeFormat[form]}, max_threads = 1`;
};

/**
 * Rows of a window of any length, in order, in little memory. The rows of a step are neighbours in the order of the
 * table, so the last one is the one before another step. Only one thread passes them on in that order, and a second sort
 * would hold all of them.
 */
const streamedRows = {
  everyRow: (columns: string) => `SELECT ${columns} FROM snapshots FINAL WHERE ${inWindow} ORDER BY ts`,
  downsampled: (columns: string) => `SELECT ${columns} FROM (
  SELECT ${columns}, ${bucket} AS step, leadInFrame(step, 1, -1) OVER (
    ORDER BY ts ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS next_step
  FROM snapshots FINAL WHERE ${inWindow}) WHERE next_step != step`,
} as const;
/** With books, Parquet of two threads took more than 250 MB. */
const streamThreads = (selection: RowSelection, withBooks: boolean): number =>
  selection === 'everyRow' && !withBooks ? 2 : 1;

const streamedColumns = ({ withSizes, withBooks }: ExtraColumns): string =>
  `${namesOf(withSizes)}${withBooks ? ', has_book, orderbook_yes, orderbook_no' : ''}`;

/** Every row of a window in order, in little memory. Params: ticker, start_us, end_us. */
export const rowsInOrder = (extra: ExtraColumns): string => streamedRows.everyRow(streamedColumns(extra));

/** Books are large, so a block has fewer rows. */
const blockSize = (withBooks: boolean): number => (withBooks ? 2_048 : 65_409);

/**
 * ClickHouse reads several blocks of each part ahead. For 6,000 rows, two threads and long blocks read 230,000 to 360,000, and these
 * settings 75,000 (measured).
 */
const fewRows = { most: 16_384, blockSize: 8_192 } as const;

/**
 * All rows of a window as text, after the header. The last line is `<mark> <rows>`, so the reader knows that the answer
 * has its end. `mark` must be unpredictable, so that no cut row looks like it. `limit` is the most rows. Params: ticker, start_us, end_us, step_us
 * (absent for every row), and those of the market.
 */
export const streamedTextSql = (
  form: TextForm,
  { mark, limit, ...options }: FormOptions & { readonly mark: string; readonly limit?: number | undefined },
): string => {
  const { selection, withBooks, numbers } = options;
  const isShort = limit !== undefined && limit <= fewRows.most && !withBooks;
  const books = withBooks ? `, ${bookTextColumns(form, numbers)}` : '';
  return `SELECT ${textColumnsOf(form, options)}${books}
FROM (${streamedRows[selection](streamedColumns(options))}${limit === undefined ? '' : ` LIMIT ${limit}`})
${templateOf(form, {
  row: rowOf(form, options),
  resultSet: `\${data}${lineEnd[form]}${mark} \${rows:JSON}`,
  threads: isShort ? 1 : streamThreads(selection, withBooks),
})}, max_block_size = ${isShort ? fewRows.blockSize : blockSize(withBooks)}`;
};

/** The number of rows of a window, up to this one. Reads few more than them, because they need no order. Params as above. */
export const countedRowsSql = (selection: RowSelection, rowsMax: number): string => {
  const all =
    selection === 'everyRow' ? `SELECT ts FROM snapshots FINAL WHERE ${inWindow}` : streamedRows.downsampled('ts');
  return `SELECT count() AS n FROM (${all} LIMIT ${rowsMax}) SETTINGS max_threads = 1`;
};

/** All rows of a window as Parquet or Arrow. Params as above. */
export const streamedBinarySql = (form: BinaryForm, { selection, ...columns }: FormOptions): string =>
  `SELECT ${binaryColumns(columns)}
FROM (${streamedRows[selection](streamedColumns(columns))})
${streamedFormat[form]}, max_threads = ${streamThreads(selection, columns.withBooks)},
  max_block_size = ${blockSize(columns.withBooks)}`;
