import type { Archive, RecordOutcome } from '../archive.js';
import type { ReadMarket } from '../mapping/market-reader.js';
import type { MarketFact } from '../model/market-fact.js';
import type { Numbering } from '../sources/source.js';
import type { AcceptAltered, NamedAltered } from '../values/altered.js';
import { copyText } from '../values/copy-text.js';
import type { CatalogueBatchSender } from './catalogue-batch-sender.js';
import type { RefusedRows } from './refused-rows.js';
import { count, type FileReport } from './report.js';
import type { RollingDetector } from './rolling.js';

export interface FileContext {
  readonly archive: Archive;
  readonly catalogue: CatalogueBatchSender;
  readonly report: FileReport;
  readonly refused: RefusedRows;
  readonly series: RollingDetector;
  readonly labels: Map<string, string>;
  readonly numbering: Numbering;
  /** Whether a value that would be altered refuses its row, record or message. Default false. */
  readonly exact?: boolean;
}

/** Takes the blocks of a file. `finish` sends the rest, even after an error in the file. */
export interface BlockConsumer<Block> {
  consume(block: Block): Promise<void>;
  finish(): Promise<void>;
}

/** A row, or one market's part of it. */
export interface RowPart {
  readonly line: number;
  readonly cells: readonly string[];
  /** The prefix of the part, empty if a row is one market. */
  readonly part: string;
}

/** `value`: the one value that is the cause. The first of each reason helps to find a remedy. */
export const refuse = (context: FileContext, at: RowPart, reason: string, value?: string): void => {
  const { refused, refusedValues } = context.report;
  if (value !== undefined && !refusedValues.has(reason)) refusedValues.set(reason, copyText(value));
  count(refused, reason);
  context.report.refusals += 1;
  context.refused.add({
    [context.numbering]: at.line,
    reason,
    ...(at.part === '' ? {} : { part: at.part }),
    row: rowText(at.cells),
  });
};

/** As in CSV, so that `0,49` of a file with semicolons stays one cell. A record has one cell, which is shown as it is. */
const rowText = (cells: readonly string[]): string =>
  cells.length === 1
    ? (cells[0] ?? '')
    : cells.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',');

/** A catalogue refusal as a reason of this report. */
export const refusalReason = (outcome: Extract<RecordOutcome, { outcome: 'refused' }>): string =>
  `not taken by the catalogue: ${outcome.reason}`;

/** Why altered values refuse their row with `exact`. Null if they do not. */
export const exactRefusal = (context: FileContext, [first]: readonly NamedAltered[]): string | null =>
  context.exact === true && first ? `${first.name}: would be ${first.how} (--exact)` : null;

/** Counts altered values, with the first example of each kind. */
export const noteAltered = ({ report }: FileContext, altered: readonly NamedAltered[]): void => {
  for (const { name, how, from, to } of altered) {
    const reason = `${name}: ${how}`;
    count(report.altered, reason);
    if (!report.alteredExamples.has(reason)) report.alteredExamples.set(reason, { from, to });
  }
};

/** Counts an altered value of a message, or refuses the message with `exact`. */
export const acceptAltered =
  (context: FileContext): AcceptAltered =>
  (altered) => {
    if (context.exact === true) return false;
    noteAltered(context, [altered]);
    return true;
  };

/** Counts a field that could not be read, with the first place of each reason. */
export const noteDropped = (
  { report: { dropped, droppedFirst } }: FileContext,
  reason: string,
  { line, value = null }: { readonly line: number; readonly value?: string | null },
): void => {
  if (!droppedFirst.has(reason)) droppedFirst.set(reason, { line, value: value === null ? null : copyText(value) });
  count(dropped, reason);
};

/** Counts fields that could not be read, and fields stored with fewer digits. */
export const noteFields = (
  context: FileContext,
  { dropped, altered }: { readonly dropped: readonly string[]; readonly altered: readonly NamedAltered[] },
  line: number | null,
): void => {
  for (const reason of dropped)
    if (line === null) count(context.report.dropped, reason);
    else noteDropped(context, reason, { line });
  noteAltered(context, altered);
};

const labelsMax = 10_000;

/** Remembers the name that a mapping gives to a market's series. */
export const noteLabel = ({ labels }: FileContext, { fact, seriesLabel }: ReadMarket): void => {
  if (seriesLabel === null || typeof fact.series !== 'string') return;
  if (labels.size < labelsMax && !labels.has(fact.series)) labels.set(copyText(fact.series), copyText(seriesLabel));
};

/** Remembers a market's window, which decides the shape of its series. */
export const noteWindow = (context: FileContext, fact: MarketFact): void => {
  const { series, ticker, open_us: openUs, close_us: closeUs } = fact;
  if (typeof series === 'string' && typeof openUs === 'number' && typeof closeUs === 'number')
    context.series.see({ series, ticker, openUs, closeUs });
};

export const reasons = {
  sourceError: 'the source reports an error',
  noTicker: 'no ticker',
  longTicker: 'the ticker, series or event is longer than 255 bytes',
  noTime: 'no time',
  notTime: 'the time is not a whole number of the unit in the mapping',
  notIso: 'the time is not an ISO time with date and clock, such as 2026-08-10T12:00:00Z',
  noClose: 'no closing time',
  otherTrade: 'not a trade that this version supports',
  otherRecord: 'not a catalogue record that this version supports',
} as const;
