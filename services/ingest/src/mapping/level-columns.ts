import type { BookEdit } from '../model/feed-message.js';
import type { NamedAltered } from '../values/altered.js';
import { bidOf, bookReasons, levelPrice, levelSize, millionths } from './book-columns.js';
import type { BookEventSource, MappingFields } from './mapping.js';
import { isOutcome, outcomeReader } from './outcomes.js';
import { readMappedTime, textReader, timeFault, type CellOf } from './readers.js';

/** What a row says about a book. `other`: nothing. */
export type BookEvent = 'snapshot' | 'level' | 'change' | 'other';

/** The message that a row belongs to. Neighbouring rows with equal heads are one message. */
export interface LevelHead {
  readonly us: number;
  readonly venueUs: number | null;
  readonly event: BookEvent;
  /** The cell that names the outcome, empty if the source has only one book a market. */
  readonly outcome: string;
  readonly message: string;
  readonly seq: number | null;
}

type OnAltered = (altered: NamedAltered) => void;

/** The columns of a row that is a level of a book. A text is why the row is refused, one of a few. */
export interface LevelColumns {
  /** What `seq` counts by one in. Null without `seq`. */
  readonly within: 'market' | 'file' | null;
  /** Whether the file has only whole books, as a recorder requests them. Between two, nobody knows the book. */
  readonly isPolled: boolean;
  readonly head: (cells: readonly string[], onAltered: OnAltered) => LevelHead | string;
  readonly edit: (row: {
    readonly cells: readonly string[];
    readonly ticker: string;
    readonly event: BookEvent;
    readonly onAltered: OnAltered;
  }) => BookEdit | string;
}

export const levelReasons = {
  noTime: 'no time',
  event: 'book_event: neither snapshot, level, change nor other',
  side: 'side: neither bid nor ask, nor yes nor no',
  sideOfOutcome: 'side: neither bid nor ask',
  seq: 'seq: not a whole number',
  change: 'size: not a number',
} as const;

/** Null if the rows of the mapping are not levels of books. */
export const levelColumns = (fields: MappingFields, cellFor: (field: string) => CellOf): LevelColumns | null => {
  const { book_event: event, side, price, size, outcome } = fields;
  if (!event || !side || !price || !size) return null;
  const eventOf = eventReader(event, cellFor('book_event'));
  const sideText = textReader(side, cellFor('side'));
  const outcomeOf = outcome ? outcomeReader(outcome, cellFor('outcome')) : null;
  const priceCell = cellFor('price')(price.column);
  const sizeCell = cellFor('size')(size.column);
  const head = headReader(fields, { cellFor, eventOf });

  const bidOfRow = (row: { ticker: string; cells: readonly string[] }, given: number) => {
    const read = sideText({ ...row, rowUs: null, closeUs: null });
    const text = typeof read === 'string' ? read : '';
    const isBid = text === 'bid';
    if (outcomeOf === null && isOutcome(text)) return { side: text, price: given };
    if (!isBid && text !== 'ask') return outcomeOf === null ? levelReasons.side : levelReasons.sideOfOutcome;
    const of = outcomeOf === null ? 'yes' : outcomeOf(row.ticker, row.cells);
    return isOutcome(of) ? bidOf({ outcome: of, isBid, price: given }) : of;
  };

  return {
    within: fields.seq?.within ?? null,
    isPolled: 'constant' in event && event.constant === 'snapshot',
    head,
    edit: ({ cells, ticker, event: kind, onAltered }) => {
      const options = { decimals: price.decimals, floatNoise: price.float_noise, unit: price.unit, onAltered };
      const given = levelPrice((cells[priceCell] ?? '').trim(), options);
      if (given === null) return bookReasons.price;
      const bid = bidOfRow({ ticker, cells }, given);
      if (typeof bid === 'string') return bid;
      const text = (cells[sizeCell] ?? '').trim();
      const sizeOptions = { decimals: size.decimals, floatNoise: size.float_noise, unit: size.unit, onAltered };
      if (kind === 'change') {
        const by = millionths('size', text, sizeOptions);
        return by === null ? levelReasons.change : { ...bid, by };
      }
      const total = levelSize(text, sizeOptions);
      return total === null ? bookReasons.size : { ...bid, size: total };
    },
  };
};

const headReader = (
  fields: MappingFields,
  { cellFor, eventOf }: { cellFor: (field: string) => CellOf; eventOf: (cells: readonly string[]) => BookEvent | null },
): LevelColumns['head'] => {
  const cellOf = (name: 'ts' | 'venue_ts' | 'seq' | 'outcome' | 'message'): number | null => {
    const source = fields[name];
    return source ? cellFor(name)(source.column) : null;
  };
  const cells = {
    ts: cellOf('ts'),
    venueTs: cellOf('venue_ts'),
    seq: cellOf('seq'),
    outcome: cellOf('outcome'),
    message: cellOf('message'),
  };
  return (row, onAltered) => {
    const text = (cell: number | null): string => (cell === null ? '' : (row[cell] ?? '').trim());
    const timeOf = (name: 'ts' | 'venue_ts', cell: number | null): number | null | string => {
      const [source, given] = [fields[name], text(cell)];
      if (!source || given === '') return null;
      const us = readMappedTime(given, source, (change) => onAltered({ ...change, name }));
      return us ?? `${name}: ${timeFault(given, source).reason}`;
    };
    const us = timeOf('ts', cells.ts);
    const venueUs = timeOf('venue_ts', cells.venueTs);
    if (us === null) return levelReasons.noTime;
    if (typeof us === 'string') return us;
    if (typeof venueUs === 'string') return venueUs;
    const event = eventOf(row);
    if (event === null) return levelReasons.event;
    const seq = text(cells.seq);
    if (seq !== '' && !/^\d{1,15}$/.test(seq)) return levelReasons.seq;
    const [outcome, message] = [text(cells.outcome), text(cells.message)];
    return { us, venueUs, event, outcome, message, seq: seq === '' ? null : Number(seq) };
  };
};

const events: ReadonlySet<unknown> = new Set<BookEvent>(['snapshot', 'level', 'change', 'other']);
const isEvent = (text: unknown): text is BookEvent => events.has(text);

const eventReader = (source: BookEventSource, cellOf: CellOf): ((cells: readonly string[]) => BookEvent | null) => {
  if ('constant' in source) return () => source.constant;
  const read = textReader(source, cellOf);
  return (cells) => {
    const event = read({ cells, ticker: '', rowUs: null, closeUs: null });
    return isEvent(event) ? event : null;
  };
};
