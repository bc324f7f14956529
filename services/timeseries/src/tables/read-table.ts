import { Readable } from 'node:stream';
import type { ReadCaller } from '@almanac/runtime';
import { type BinaryForm, isBinaryForm, type NumberType, type SnapshotForm } from '@almanac/contracts';
import type { ArchiveRows } from '../rows/archive-rows.js';
import { withMetadata } from '../rows/binary-format.js';
import { type Table, tableHeader, tableSql, type TextForm } from './table-sql.js';

export interface TableRequest {
  readonly form: SnapshotForm;
  readonly numbers: NumberType;
  readonly table: Table;
  readonly params: Readonly<Record<string, unknown>>;
  /** Key-value metadata of Parquet and Arrow. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** JSON bytes are an array of rows. */
export interface TableBytes {
  readonly bytes: Buffer;
  readonly count: number;
}

export const readTable = async (
  rows: Pick<ArchiveRows, 'raw'>,
  { form, numbers, table, params, metadata }: TableRequest,
  caller: ReadCaller,
): Promise<TableBytes> => {
  const answer = await rows.raw({ sql: tableSql(form, table, numbers), params }, caller);
  if (isBinaryForm(form)) return binaryTable(answer, form, metadata);
  return cutTable(answer, form, tableHeader(form, table.columns));
};

const lineFeed = 0x0a;

/** Splits the last line with the number of rows from a text. Throws without it. */
export const cutTable = (answer: Buffer, form: TextForm, header: string): TableBytes => {
  const end = answer.at(-1) === lineFeed ? answer.length - 1 : answer.length;
  const at = answer.lastIndexOf(lineFeed, end - 1);
  const count = Number(answer.toString('latin1', at + 1, end));
  if (at < 0 || end === at + 1 || !Number.isInteger(count)) {
    throw new Error('the table does not end with its number of rows');
  }
  // The end of the line before the number belongs to the last row, except in JSON.
  const text = answer.subarray(0, form === 'json' ? at : count === 0 ? 0 : at + 1);
  return { bytes: header === '' ? text : Buffer.concat([Buffer.from(header), text]), count };
};

const binaryTable = async (
  answer: Buffer,
  form: BinaryForm,
  metadata: TableRequest['metadata'],
): Promise<TableBytes> => {
  let count = 0;
  const pieces: Buffer[] = [];
  const onRows = (rows: number): void => void (count = rows);
  for await (const piece of withMetadata[form](Readable.from([answer]), { metadata, onRows })) pieces.push(piece);
  return { bytes: Buffer.concat(pieces), count };
};
