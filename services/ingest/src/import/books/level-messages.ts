import { type BookEdit, type BookMessage, type Level, refusal, type Side } from '../../model/feed-message.js';
import type { View } from '../../mapping/compile-mapping.js';
import type { LevelColumns, LevelHead } from '../../mapping/level-columns.js';
import { lostFeed } from '../../recordings/frames.js';
import type { BrokenRow } from '../../sources/source.js';
import type { NamedAltered } from '../../values/altered.js';
import { copyText } from '../../values/copy-text.js';
import {
  exactRefusal,
  type FileContext,
  noteAltered,
  noteFields,
  noteLabel,
  reasons,
} from '../../intake/file-context.js';
import { tickerOf } from '../../intake/ticker-of-row.js';

/** A message has a level for each of its rows. More mean that its rows are not told apart. */
const rowsMax = 20_000;
const marketsMax = 50_000;

export const levelReasons = {
  incomplete: 'a row of the message cannot be read',
  tooManyRows: `the message has more than ${rowsMax} rows. Its rows may need the field message`,
  tooManyMarkets: `the file has more than ${marketsMax} markets`,
} as const;

/** A market of the file. The sequence of each market is its own, unless the mapping counts in the whole file. */
interface FoundMarket {
  readonly ticker: string;
  readonly sid: number;
  /** The outcome whose rows are read. Other outcomes show the same orders from their side. */
  readonly outcome: string;
}

interface Pending {
  readonly head: LevelHead;
  readonly market: FoundMarket;
  readonly line: number;
  readonly edits: BookEdit[];
  /** Why the message is refused, with the row. */
  fault: { readonly reason: string; readonly text: string; readonly line: number } | null;
}

/** Makes messages of rows with one level each. */
export class LevelMessages {
  private readonly markets = new Map<string, FoundMarket>();
  private messages: BookMessage[] = [];
  private pending: Pending | null = null;
  /** Whether a row that could not be read may be the first one of the next message. */
  private isAfterBroken = false;
  private lastUs = 0;
  private altered: NamedAltered[] = [];

  constructor(
    private readonly context: FileContext,
    private readonly view: View,
    private readonly columns: LevelColumns,
  ) {}

  row(cells: readonly string[], line: number): void {
    if (this.altered.length > 0) this.altered = [];
    const ticker = tickerOf(this.view, cells);
    const found = ticker === '' ? reasons.noTicker : this.placeOf(ticker, cells);
    if (typeof found === 'string')
      return this.broken({ reason: found, text: cells.join(','), line }, ticker === '' ? null : ticker);
    const { head, market } = found;
    if (market.outcome !== head.outcome) return;
    if (this.pending === null || !isSame(this.pending, head, ticker)) this.pending = this.begin(head, market, line);
    this.addEdit(this.pending, cells, line);
  }

  /** A row that cannot be read may be a part of the messages around it. Without a ticker, every book is uncertain. */
  broken({ line, reason, text, of }: BrokenRow, ticker: string | null = null): void {
    if (of !== undefined) return void this.messages.push(refusal({ us: this.lastUs, ticker: of, reason, text, line }));
    this.isAfterBroken = true;
    if (this.pending) this.pending.fault ??= { reason: levelReasons.incomplete, text: '', line: this.pending.line };
    this.end();
    const place = ticker === null ? {} : { ticker, sid: this.markets.get(ticker)?.sid ?? null };
    this.messages.push(refusal({ us: this.lastUs, ...place, reason, text, line }));
    if (ticker === null) this.messages.push(lostFeed(this.lastUs, reason));
  }

  /** Completes the last message. */
  end(): void {
    if (this.pending) this.messages.push(messageOf(this.pending, this.columns));
    this.pending = null;
  }

  /** Returns the messages that are complete, and removes them. */
  take(): readonly BookMessage[] {
    const taken = this.messages;
    this.messages = [];
    return taken;
  }

  private readonly onAltered = (change: NamedAltered): void => void this.altered.push(change);

  private placeOf(ticker: string, cells: readonly string[]): { head: LevelHead; market: FoundMarket } | string {
    const { refuseCell } = this.view;
    if (refuseCell !== null && (cells[refuseCell] ?? '').trim() !== '') return reasons.sourceError;
    const head = this.columns.head(cells, this.onAltered);
    if (typeof head === 'string') return head;
    const market = this.markets.get(ticker) ?? this.newMarket(ticker, head, cells);
    return typeof market === 'string' ? market : { head, market };
  }

  /** The market of its first row. A text is why the row is refused. */
  private newMarket(ticker: string, { us, outcome }: LevelHead, cells: readonly string[]): FoundMarket | string {
    const { context, markets } = this;
    if (markets.size >= marketsMax) return levelReasons.tooManyMarkets;
    const copy = copyText(ticker);
    const found = this.view.market.read({ cells, ticker: copy, rowUs: us });
    const fault = found.refusal ?? exactRefusal(context, found.altered);
    if (fault !== null) return fault;
    noteFields(context, found, null);
    noteLabel(context, found);
    const sid = this.columns.within === 'file' ? 0 : markets.size + 1;
    const market = { ticker: copy, sid, outcome: copyText(outcome) };
    markets.set(copy, market);
    this.messages.push({ kind: 'market', us, fact: found.fact });
    return market;
  }

  private begin(head: LevelHead, market: FoundMarket, line: number): Pending {
    this.end();
    this.lastUs = Math.max(this.lastUs, head.us);
    const isCut = this.isAfterBroken && head.event === 'snapshot';
    this.isAfterBroken = false;
    return {
      head: { ...head, outcome: market.outcome, message: copyText(head.message) },
      market,
      line,
      edits: [],
      fault: isCut ? { reason: levelReasons.incomplete, text: '', line } : null,
    };
  }

  private addEdit(to: Pending, cells: readonly string[], line: number): void {
    const { head, market, edits } = to;
    if (to.fault !== null || head.event === 'other') return;
    const edit = this.columns.edit({ cells, ticker: market.ticker, event: head.event, onAltered: this.onAltered });
    const inexact = this.altered.length > 0 ? exactRefusal(this.context, this.altered) : null;
    const fault =
      typeof edit === 'string' ? edit : (inexact ?? (edits.length >= rowsMax ? levelReasons.tooManyRows : null));
    if (typeof edit !== 'string' && fault === null) {
      if (this.altered.length > 0) noteAltered(this.context, this.altered);
      edits.push(edit);
    } else to.fault = { reason: fault ?? '', text: cells.join(','), line };
  }
}

const isSame = ({ head, market }: Pending, next: LevelHead, ticker: string): boolean =>
  market.ticker === ticker &&
  head.us === next.us &&
  head.event === next.event &&
  head.message === next.message &&
  head.seq === next.seq;

const messageOf = ({ head, market, line, edits, fault }: Pending, { within, isPolled }: LevelColumns): BookMessage => {
  const { us, venueUs, event, seq } = head;
  const { ticker, sid } = market;
  const placed = { line, us, sid, seq: within === null ? null : seq };
  if (fault !== null) return refusal({ us, ticker, sid, seq: placed.seq, ...fault });
  if (event === 'other') return { kind: 'activity', ...placed };
  if (event !== 'snapshot') return { kind: 'edits', ...placed, venueUs, ticker, edits };
  const sides: Record<Side, Level[]> = { yes: [], no: [] };
  for (const edit of edits) if ('size' in edit && edit.size > 0) sides[edit.side].push([edit.price, edit.size]);
  return { kind: 'snapshot', ...placed, venueUs, ticker, ...sides, ...(isPolled && { isAlone: true }) };
};
