import type { BookRun } from '../model/book-run.js';
import type { BookSource } from '../model/book-source.js';
import type { BookMessage } from '../model/feed-message.js';
import type { KnownOutcomes } from '../sources/known-outcomes.js';
import { textOf } from '../sources/record-fields.js';
import type { RecordBlock, RecordSource, TypedRows } from '../sources/source.js';
import type { TableSource } from '../sources/tables/table.js';
import type { FrameFormat, HourlyBooks, HourlyCells } from '../venues/venue.js';
import { venues } from '../venues/venues.js';
import { type HourAround, HourMessages } from './hour-messages.js';
import { scanHour } from './hourly-scan.js';

/** A file of hourly books, and who reads its messages. */
export interface HourlyFormat {
  readonly hourly: HourlyBooks;
  readonly frames: FrameFormat;
  readonly records: TableSource;
}

const isTable = (records: RecordSource): records is TableSource => records.table !== undefined;

/** The format of a typed file with the columns of hourly books, also without rows. Null for any other. */
export const hourlyFormatOf = (records: RecordSource): HourlyFormat | null => {
  if (!isTable(records)) return null;
  const columns = records.table.columns.map(({ name }) => name);
  for (const { hourlyBooks: hourly, frames } of Object.values(venues))
    if (hourly?.is(columns) === true) return { hourly, frames, records };
  return null;
};

interface OpenedHour {
  readonly name: string;
  readonly format: HourlyFormat;
  readonly around: HourAround;
  readonly outcomes: Pick<KnownOutcomes, 'get' | 'find'>;
  readonly sizeBytes: number;
  /** Whether plain rows are read by column. The messages are the same. */
  readonly isByColumn: boolean;
}

/** The messages of an hour of books, one market after the other, so that few books are in memory. */
export const openHour = ({
  name,
  format,
  around,
  outcomes,
  sizeBytes,
  isByColumn,
}: OpenedHour): BookSource<BookMessage | BookRun> => {
  const { frames, records } = format;
  const hourly = isByColumn ? format.hourly : { ...format.hourly, cells: () => null };
  const columns = records.table.columns.map((column) => column.name);
  const { factOf } = frames.reader();
  let [rows, total] = [0, 0];
  const readRecords = async ({ records: read }: RecordBlock, messages: HourMessages): Promise<void> => {
    const found = read.map(({ value, line }) => ({ row: hourly.read(value), value, line }));
    await outcomes.find(found.map(({ row }) => row.token));
    for (const { row, value, line } of found) messages.row(row, value, line);
  };
  const readCells = async (cells: HourlyCells, { record }: TypedRows, messages: HourMessages): Promise<void> => {
    await outcomes.find(tokensIn(cells));
    messages.block(cells, (row) => {
      const value = record(row);
      return { row: hourly.read(value), value };
    });
  };
  return {
    name: () => hourly.name,
    factOf,
    inTimeOrder: 'subscription',
    rowsRead: () => rows,
    sizeBytes,
    bytesRead: () => (total === 0 ? 0 : Math.floor((sizeBytes * rows) / total)),
    blocks: async function* () {
      const scanned = await scanHour(name, records, hourly, around.startUs);
      total = scanned.rows;
      const messages = new HourMessages(scanned, { around, outcomes, frames });
      try {
        for await (const block of records.blocks(new Set(hourly.rowColumns(columns)))) {
          const { byColumn } = block;
          const cells = scanned.order === 'market' && byColumn ? hourly.cells?.(byColumn) : null;
          if (cells && byColumn) await readCells(cells, byColumn, messages);
          else await readRecords(block, messages);
          rows += cells?.count ?? block.records.length;
          yield messages.take();
        }
      } catch (error) {
        yield messages.broken();
        throw error;
      }
      messages.end();
      yield messages.take();
    },
  };
};

/** Neighbouring rows of one token give it once. */
const tokensIn = ({ count, token }: HourlyCells): ReadonlySet<string> => {
  const tokens = new Set<string>();
  let before: unknown = null;
  for (let row = 0; row < count; row += 1) {
    const id = token(row);
    if (id !== before) tokens.add(textOf(id) ?? '');
    before = id;
  }
  return tokens;
};
