import { createHash } from 'node:crypto';
import { isBinaryForm, type NumberType, type SnapshotForm } from '@almanac/contracts';
import { bookTextColumns, rowOf, rowsInOrder, type TextForm, templateOf, textColumnsOf } from '../rows/form-sql.js';

/** The form of the text in a slab. JSON and JSON lines have the same rows. */
export interface SlabKind {
  readonly form: TextForm;
  readonly numbers: NumberType;
  readonly withBook: boolean;
  readonly withSizes: boolean;
}

/** Undefined for Parquet and Arrow, whose rows are not text. */
export const kindOf = (
  form: SnapshotForm,
  { numbers, withBook, withSizes }: Omit<SlabKind, 'form'>,
): SlabKind | undefined => {
  if (isBinaryForm(form)) return undefined;
  if (form === 'json') return { form: 'ndjson', numbers: 'decimal', withBook, withSizes };
  return { form, numbers, withBook, withSizes };
};

export const nameOfKind = ({ form, numbers, withBook, withSizes }: SlabKind): string =>
  `${form}-${numbers}-${withBook ? 'books' : 'top'}${withSizes ? '-sizes' : ''}`;

/** Follows each row. The one between JSON rows is replaced for JSON lines. */
export const separatorOf = ({ form }: SlabKind): string => (form === 'csv' ? '\r\n' : ',');

/** The form that most reads have. It has the values of its rows, too, so candles need no other slab. */
export const defaultKind: SlabKind = { form: 'ndjson', numbers: 'decimal', withBook: false, withSizes: false };
const hasValues = (kind: SlabKind): boolean => nameOfKind(kind) === nameOfKind(defaultKind);

/** Before a row of the answer: its time in microseconds, and one of these. */
export const bookMark = 'b';
const plainMark = 't';
/** Values follow, each with a comma. */
export const valuesMark = 'v';

const values = ['yes_best_bid', 'yes_best_ask', 'coin_price']
  .map((name) => `ifNull(toString(${name}), ''), ','`)
  .join(', ');

const leadOf = (kind: SlabKind): string => {
  const time = 'toString(toUnixTimestamp64Micro(time))';
  if (hasValues(kind)) return `concat(${time}, '${valuesMark}', ${values})`;
  return kind.withBook
    ? `concat(${time}, if(has_book, '${bookMark}', '${plainMark}'))`
    : `concat(${time}, '${plainMark}')`;
};

/**
 * All rows of a slab in order. Each is `<us><b, t or v><values><text>` and ends with a line feed and `mark`. The last mark
 * is followed by `.` and the number of rows, so that an answer that was cut is noticed. `mark` is unpredictable, because
 * names in CSV may contain line feeds. Params: ticker, start_us, end_us; for CSV also those of the market.
 */
export const slabSql = (kind: SlabKind, mark: string): string => {
  const { form, numbers, withBook, withSizes } = kind;
  const extra = { withSizes, withBooks: withBook };
  const books = withBook ? `, ${bookTextColumns(form, numbers)}` : '';
  return `SELECT ${textColumnsOf(form, { numbers, ...extra })}${books}, ${leadOf(kind)} AS lead
FROM (SELECT *, ts AS time FROM (${rowsInOrder(extra)}))
${templateOf(form, {
  row: `\${lead:Raw}${rowOf(form, extra)}`,
  between: `\\n${mark}`,
  resultSet: `\${data}\\n${mark}.\${rows:JSON}`,
  threads: 1,
})}, max_block_size = ${withBook ? 512 : 8_192}`;
};

const flags = [false, true] as const;
const allKinds: readonly SlabKind[] = (['ndjson', 'csv'] as const).flatMap((form) =>
  (['decimal', 'float'] as const).flatMap((numbers) =>
    flags.flatMap((withBook) => flags.map((withSizes) => ({ form, numbers, withBook, withSizes }))),
  ),
);

/** Another one for each change of the SQL of any kind. */
export const textVersion = createHash('sha256')
  .update(allKinds.map((kind) => slabSql(kind, '')).join('\n'))
  .digest('hex')
  .slice(0, 16);
