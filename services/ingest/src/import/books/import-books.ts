import type { Rebuild } from '../../books/rebuild.js';
import { BookIntake, type IntakeOptions } from '../../books/book-intake.js';
import type { Staging } from '../../archive.js';
import type { BookRuns, BookSource } from '../../model/book-source.js';
import type { BookMessage } from '../../model/feed-message.js';
import type { FileContext } from '../../intake/file-context.js';
import type { FileReport, MessageCounts } from '../../intake/report.js';
import { readOf } from '../report/summary.js';

export interface BooksWork {
  readonly context: FileContext;
  readonly sampleUs: number;
  readonly afterBlock: () => Promise<void>;
  /** Null: readers see each batch as soon as it is stored. */
  readonly staging: Staging | null;
  /** How the numbers of the recording are read, and which books it continues. */
  readonly books?: Pick<IntakeOptions, 'sequences' | 'silenceUs' | 'after' | 'isCut'>;
}

/** Imports a recording of order books. Everything read before an error is stored. */
export const importBooks = async (
  source: BookSource<BookMessage | BookRuns>,
  { context, sampleUs, afterBlock, staging, books }: BooksWork,
): Promise<Rebuild> => {
  const { report } = context;
  const intake = new BookIntake({
    context,
    intervalUs: sampleUs,
    staging,
    factOf: source.factOf,
    ...(source.inTimeOrder && { inTimeOrder: source.inTimeOrder }),
    ...(source.clock && { clock: source.clock }),
    ...books,
  });
  const counted = messageCounter(report, intake);
  const takeMessage = (message: BookMessage): Promise<void> | null => counted(message, () => intake.take(message));
  const takeRun = async (run: BookRuns): Promise<void> => {
    for (let from = 0; from < run.count; from += 1) {
      const { row, tops, busy } = intake.takeRun(run, from);
      countRun(report, run, { rows: row - from, tops });
      if (busy) await busy;
      if (row < run.count) for (const message of run.messagesOf(row)) await takeMessage(message);
      from = row;
    }
  };
  const messages = (): number => (report.messages === null ? 0 : readOf(report.messages));
  let broken: { readonly error: unknown } | null = null;
  try {
    for await (const block of source.blocks()) {
      for (const message of block) {
        const busy = message.kind === 'run' || message.kind === 'frames' ? takeRun(message) : takeMessage(message);
        if (busy) await busy;
      }
      report.rowsRead = source.rowsRead?.() ?? messages();
      report.mapping = source.name();
      await afterBlock();
    }
  } catch (error) {
    broken = { error };
  }
  await intake.finish();
  report.books = { ...intake.counts };
  report.unread.push(...(source.unread ?? []));
  if (broken) throw broken.error;
  return intake.rebuild;
};

/** Counts each message once, by what it changed: a book, a counter of refusals, or neither. */
const messageCounter = (report: FileReport, intake: BookIntake) => {
  const counts: MessageCounts = { applied: 0, other: 0, refused: 0, notApplied: 0 };
  report.messages = counts;
  const applied = (): number => intake.counts.snapshots + intake.counts.changes;
  return <T>(message: BookMessage, take: () => T): T => {
    const [appliedBefore, refusedBefore] = [applied(), report.refusals];
    const result = take();
    if (message.kind === 'ended') return result;
    if (applied() > appliedBefore) counts.applied += 1;
    else if (report.refusals > refusedBefore) counts.refused += message.kind === 'refused' ? (message.rows ?? 1) : 1;
    else if (bookKinds.has(message.kind)) counts.notApplied += 1;
    else counts.other += 1;
    return result;
  };
};

/** A row without a best price is one message. */
const countRun = (
  { messages }: FileReport,
  run: BookRuns,
  { rows, tops }: { readonly rows: number; readonly tops: number },
): void => {
  if (messages === null) return;
  if (run.kind === 'run' && run.changes === null) messages.other += rows;
  else messages.applied += rows;
  messages.other += tops;
};

const bookKinds: ReadonlySet<BookMessage['kind']> = new Set(['snapshot', 'change', 'level', 'edits']);
