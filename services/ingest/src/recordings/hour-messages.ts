import type { BookRun } from '../model/book-run.js';
import type { BookMessage } from '../model/feed-message.js';
import { refusal } from '../model/feed-message.js';
import { emptyCell } from '../sources/cells.js';
import type { KnownOutcomes, OutcomeIds } from '../sources/known-outcomes.js';
import type { JsonObject } from '../sources/source.js';
import type { FrameFormat, FrameReader, HourlyCells, HourlyRow } from '../venues/venue.js';
import { activityRun, changesEnd, HourChanges, isYesOf, type TokenPlace } from './hour-run.js';
import { receiptReader, type ScannedHour, type Silence } from './hourly-scan.js';

/** What the other files of an import say about the hours around a file. */
export interface HourAround {
  /** The hour of the file. Null if nothing shows it. */
  readonly startUs: number | null;
  /** Why books do not go on in the next file. Null: they do, or nobody knows. */
  readonly missingAfter: string | null;
}

const hourReasons = {
  silence: 'the hour has no rows of any market in this time',
  broken: 'the rest of the hour cannot be read',
  noTime: 'no receive time',
  noMarket: 'the token belongs to no known market',
} as const;

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

const activityAt = ({ us, ...place }: { us: number; line: number; sid: number | null }): BookMessage => ({
  kind: 'activity',
  us,
  seq: null,
  ...place,
});

/** Makes messages of rows. A silence of the whole file is a loss in each market. */
export class HourMessages {
  private messages: (BookMessage | BookRun)[] = [];
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
    if (!token.leads && (row.isBook || row.isChange)) return void this.messages.push(activityAt({ us, ...place }));
    this.messages.push(...this.messagesOf(reader, row, { us, ...place }));
  }

  /** Rows by column. `rowOf` reads those that are not plain. */
  block(cells: HourlyCells, rowOf: (row: number) => { readonly row: HourlyRow; readonly value: JsonObject }): void {
    let changes: HourChanges | null = null;
    for (let from = 0; from < cells.count;) {
      const to = this.plainFrom(
        cells,
        from,
        (place, range) => {
          changes ??= new HourChanges(cells);
          return changes.run(place, range);
        },
        rowOf,
      );
      if (to === from) {
        const { row, value } = rowOf(from);
        this.row(row, value, cells.line + from);
      }
      from = Math.max(to, from + 1);
    }
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
  broken(): readonly (BookMessage | BookRun)[] {
    const { firstUs, lastUs: us } = this.scanned;
    const ticker = this.market?.ticker ?? null;
    const lost = { kind: 'lost', us, sid: null, reason: hourReasons.broken } as const;
    if (ticker !== null) this.messages.push({ ...lost, ticker });
    this.messages.push({ ...lost, ticker: null, untilUs: firstUs });
    return this.take();
  }

  take(): readonly (BookMessage | BookRun)[] {
    const taken = this.messages;
    this.messages = [];
    return taken;
  }

  /** Takes plain rows of the present token from a row on, and returns where they end. */
  private plainFrom(
    cells: HourlyCells,
    from: number,
    runOf: (
      place: TokenPlace,
      range: { from: number; to: number; messagesOf: BookRun['messagesOf'] },
    ) => BookRun | null,
    rowOf: (row: number) => { readonly row: HourlyRow },
  ): number {
    const { market, token } = this;
    if (market === null || token?.sid == null || cells.market(from) !== market.id || cells.token(from) !== token.token)
      return from;
    const { ids, sid, leads } = token;
    const beforeUs = leads ? (this.scanned.silences[this.passed]?.toUs ?? emptyCell) : emptyCell;
    const to = changesEnd(cells, from, beforeUs);
    if (to === from) return from;
    if (ids === undefined) {
      token.refused += to - from;
      this.line = cells.line + to - 1;
      return to;
    }
    const placeOf = (row: number) => ({ us: cells.received[from + row] ?? 0, line: cells.line + from + row, sid });
    const isYes = isYesOf(ids, token.token);
    if (leads && isYes === null) return from;
    const { reader } = market;
    const run =
      leads && isYes !== null
        ? runOf(
            { ids, isYes, sid, beforeUs },
            { from, to, messagesOf: (row) => this.messagesOf(reader, rowOf(from + row).row, placeOf(row)) },
          )
        : activityRun(cells, { sid, from, to, messagesOf: (row) => [activityAt(placeOf(row))] });
    if (run === null) return from;
    this.messages.push(run);
    this.line = cells.line + from + run.count - 1;
    return from + run.count;
  }

  private messagesOf(
    reader: FrameReader,
    row: HourlyRow,
    { us, ...place }: { readonly us: number; readonly line: number; readonly sid: number | null },
  ): readonly BookMessage[] {
    const sentUs = this.sent(row.sent) ?? us;
    const read = reader.read(us, '', { ...row.message(), timestamp: String(sentUs / 1_000) });
    return read.map((message) => ({ ...message, ...place }));
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
