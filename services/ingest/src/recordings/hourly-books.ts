import type { BookMessage } from '../model/feed-message.js';
import { refusal } from '../model/feed-message.js';
import type { FrameFormat, FrameReader, HourlyBooks, HourlyRow } from '../venues/venue.js';
import { venues } from '../venues/venues.js';
import type { BookSource } from '../model/book-source.js';
import type { KnownOutcomes, OutcomeIds } from '../sources/known-outcomes.js';
import { receiptReader, type ScannedHour, type Silence, scanHour } from './hourly-scan.js';
import type { JsonObject, RecordSource } from '../sources/source.js';
import type { TableSource } from '../sources/tables/table.js';

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

/** What the other files of an import say about the hours around a file. */
export interface HourAround {
  /** The hour of the file. Null if nothing shows it. */
  readonly startUs: number | null;
  /** Why books do not go on in the next file. Null: they do, or nobody knows. */
  readonly missingAfter: string | null;
}

export const hourReasons = {
  silence: 'the hour has no rows of any market in this time',
  broken: 'the rest of the hour cannot be read',
  noTime: 'no receive time',
  noMarket: 'the token belongs to no known market',
} as const;

interface OpenedHour {
  readonly name: string;
  readonly format: HourlyFormat;
  readonly around: HourAround;
  readonly outcomes: Pick<KnownOutcomes, 'get' | 'find'>;
  readonly sizeBytes: number;
}

/** The messages of an hour of books, one market after the other, so that few books are in memory. */
export const openHour = ({ name, format, around, outcomes, sizeBytes }: OpenedHour): BookSource => {
  const { hourly, frames, records } = format;
  const columns = records.table.columns.map((column) => column.name);
  const { factOf } = frames.reader();
  let [rows, total] = [0, 0];
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
          const read = block.records.map(({ value, line }) => ({ row: hourly.read(value), value, line }));
          await outcomes.find(read.map(({ row }) => row.token));
          for (const { row, value, line } of read) messages.row(row, value, line);
          rows += block.records.length;
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

interface HourMessagesOptions {
  readonly around: HourAround;
  readonly outcomes: Pick<KnownOutcomes, 'get' | 'find'>;
  readonly frames: FrameFormat;
}

/** Rows of the token that is read, as long as they come one after the other. */
interface TokenRows {
  readonly token: string;
  readonly ids: OutcomeIds | undefined;
  readonly sid: number | null;
  /** Whether its books and changes are read. */
  readonly leads: boolean;
  /** Of an unknown market. */
  refused: number;
}

/** Makes messages of rows. A silence of the whole file is a loss in each market. */
class HourMessages {
  private messages: BookMessage[] = [];
  private readonly received = receiptReader();
  private readonly sent = receiptReader();
  private market: { readonly id: string; readonly reader: FrameReader; ticker: string | null } | null = null;
  private token: TokenRows | null = null;
  private tokens = 0;
  /** The silences of the hour that the present rows have passed. */
  private passed = 0;
  private line = 0;

  constructor(
    private readonly scanned: ScannedHour,
    private readonly options: HourMessagesOptions,
  ) {}

  row(row: HourlyRow, record: JsonObject, line: number): void {
    this.line = line;
    const { reader } = this.marketOf(row);
    const token = this.tokenOf(row);
    const us = this.received(row.received);
    if (us === null) {
      const ticker = token.leads ? (token.ids?.ticker ?? null) : null;
      return void this.messages.push(
        refusal({ line, ticker, reason: hourReasons.noTime, text: JSON.stringify(record) }),
      );
    }
    this.pass(us);
    if (token.ids === undefined) {
      token.refused += 1;
      return;
    }
    const place = { line, sid: token.sid };
    if (!token.leads && (row.isBook || row.isChange))
      return void this.messages.push({ kind: 'activity', us, seq: null, ...place });
    const sentUs = this.sent(row.sent) ?? us;
    const read = reader.read(us, '', { ...row.message(), timestamp: String(sentUs / 1_000) });
    for (const message of read) this.messages.push({ ...message, ...place });
  }

  /** After the last row. Books that wait since an earlier hour lost what this hour lost. */
  end(): void {
    this.endMarket();
    const { silences, lastUs, order } = this.scanned;
    const { missingAfter } = this.options.around;
    if (order === 'market') for (const silence of silences) this.lose(silence, null);
    else this.pass(Infinity);
    if (missingAfter !== null)
      this.messages.push({ kind: 'lost', us: lastUs, ticker: null, sid: null, reason: missingAfter, untilUs: lastUs });
  }

  /** After rows that cannot be read. Neither the present market nor those that waited for their rows go on. */
  broken(): readonly BookMessage[] {
    const { firstUs, lastUs: us } = this.scanned;
    const ticker = this.market?.ticker ?? null;
    const lost = { kind: 'lost', us, sid: null, reason: hourReasons.broken } as const;
    if (ticker !== null) this.messages.push({ ...lost, ticker });
    this.messages.push({ ...lost, ticker: null, untilUs: firstUs });
    return this.take();
  }

  take(): readonly BookMessage[] {
    const taken = this.messages;
    this.messages = [];
    return taken;
  }

  private marketOf({ market: id }: HourlyRow): { readonly reader: FrameReader } {
    const isOne = this.scanned.order === 'time' || this.market?.id === id;
    if (this.market !== null && isOne) return this.market;
    this.endMarket();
    if (this.scanned.order === 'market') this.passed = 0;
    this.market = { id, reader: this.options.frames.reader(this.options.outcomes), ticker: null };
    return this.market;
  }

  private tokenOf({ market, token }: HourlyRow): TokenRows {
    if (this.token?.token === token) return this.token;
    this.endToken();
    const ids = this.options.outcomes.get(token);
    if (this.market !== null && this.scanned.order === 'market') this.market.ticker ??= ids?.ticker ?? null;
    this.tokens += 1;
    this.passed = this.scanned.order === 'market' ? 0 : this.passed;
    const sid = this.scanned.order === 'market' ? this.tokens : null;
    this.token = { token, ids, sid, leads: this.scanned.leading.get(market) === token, refused: 0 };
    return this.token;
  }

  private endToken(): void {
    const { token: ended } = this;
    this.token = null;
    if (ended === null) return;
    if (ended.leads && ended.ids && this.scanned.order === 'market') this.pass(Infinity, ended);
    if (ended.refused === 0) return;
    const text = JSON.stringify({ asset_id: ended.token, rows: ended.refused });
    this.messages.push(refusal({ line: this.line, reason: hourReasons.noMarket, rows: ended.refused, text }));
  }

  private endMarket(): void {
    this.endToken();
    const ticker = this.market?.ticker ?? null;
    this.market = null;
    if (ticker !== null) this.messages.push({ kind: 'ended', us: this.scanned.lastUs, ticker });
  }

  /** The silences before a row. Each ends the span of its market, or of all in a file that is sorted by time. */
  private pass(us: number, token = this.token): void {
    const { silences, order } = this.scanned;
    if (order === 'market' && token?.leads !== true) return;
    for (; this.passed < silences.length; this.passed += 1) {
      const silence = silences[this.passed];
      if (silence === undefined || silence.toUs > us) return;
      this.lose(silence, order === 'market' ? (token?.ids?.ticker ?? null) : null);
    }
  }

  private lose({ fromUs: untilUs, toUs: us }: Silence, ticker: string | null): void {
    this.messages.push({ kind: 'lost', us, ticker, sid: null, reason: hourReasons.silence, untilUs });
  }
}
