import type { ImportResult } from '../run-import.js';
import type { Counts, FileReport, MessageCounts, OutcomeCounts } from '../../intake/report.js';
import { verdictOf } from './verdict.js';

/** `read` is the sum of the others. */
export interface ObservationSummary {
  readonly read: number;
  /** Observations of a market and time that no earlier observation of this import had: rows that can be read. */
  readonly stored: number;
  readonly replaced_equal: number;
  readonly replaced_different: number;
  readonly refused: number;
  /** Read, but the archive did not take them. */
  readonly not_stored: number;
}

/** `read` is the sum of the others. */
interface FactSummary extends OutcomeCounts {
  readonly read: number;
}

const rowsOf = (
  read: number,
  refused: number,
  stored: number,
  counts: FileReport['rowCounts'],
): ObservationSummary => ({
  read: read + refused,
  stored: counts.stored,
  replaced_equal: counts.equal,
  replaced_different: counts.different,
  refused,
  not_stored: read - stored,
});

export const observationsOf = (report: FileReport): ObservationSummary =>
  rowsOf(report.observationsRead, report.observationsRefused, report.observationsStored, report.rowCounts);

/** The same for trades, by their ids. */
export const tradesOf = (report: FileReport): ObservationSummary =>
  rowsOf(report.tradesRead, report.tradesRefused, report.tradesStored, report.tradeCounts);

/** The same for venue candles, by their market, period and end. */
export const candlesOf = (report: FileReport): ObservationSummary =>
  rowsOf(report.candlesRead, report.candlesRefused, report.candlesStored, report.candleCounts);

/** The same for prices of coins, by their coin and time. */
export const coinPricesOf = (report: FileReport): ObservationSummary =>
  rowsOf(report.coinPricesRead, report.coinPricesRefused, report.coinPricesStored, report.coinPriceCounts);

/** Adds up the numbers of objects with the same fields. */
export const summed = <T extends Readonly<Record<keyof T, number>>>(zero: T, items: readonly T[]): T => {
  const total: Record<string, number> = { ...zero };
  for (const item of items)
    for (const [name, value] of Object.entries<number>(item)) total[name] = (total[name] ?? 0) + value;
  return { ...zero, ...total };
};

export const noObservations: ObservationSummary = {
  read: 0,
  stored: 0,
  replaced_equal: 0,
  replaced_different: 0,
  refused: 0,
  not_stored: 0,
};

const noFacts: FactSummary = { read: 0, created: 0, changed: 0, unchanged: 0, refused: 0 };

const factsOf = (read: number, { created, changed, unchanged, refused }: OutcomeCounts): FactSummary => ({
  read,
  created,
  changed,
  unchanged,
  refused,
});

const listed = (counts: Counts): { reason: string; count: number }[] =>
  Array.from(counts, ([reason, times]) => ({ reason, count: times }));

/** Messages. A line of a recording can have several. */
export const readOf = ({ applied, other, refused, notApplied }: MessageCounts): number =>
  applied + other + refused + notApplied;

const fileSummary = (report: FileReport) => ({
  file: report.file,
  format: report.mapping,
  rows_read: report.rowsRead,
  records_refused: report.recordsRefused,
  observations: observationsOf(report),
  trades: tradesOf(report),
  ...(candlesOf(report).read > 0 && { candles: { ...candlesOf(report), notes: report.notes } }),
  ...(coinPricesOf(report).read > 0 && { coin_prices: coinPricesOf(report) }),
  messages: report.messages && {
    read: readOf(report.messages),
    applied: report.messages.applied,
    other: report.messages.other,
    refused: report.messages.refused,
    not_applied: report.messages.notApplied,
  },
  books: report.books,
  series: factsOf(report.entities.series.sent, report.entities.series),
  events: factsOf(report.entities.event.sent, report.entities.event),
  markets: factsOf(report.markets, report.outcomes),
  refused: listed(report.refused),
  refused_file: report.refusedFile,
  dropped: listed(report.dropped).map((one) => ({ ...one, first: report.droppedFirst.get(one.reason) ?? null })),
  altered: Array.from(report.altered, ([reason, times]) => ({
    reason,
    count: times,
    example: report.alteredExamples.get(reason) ?? null,
  })),
  floats: listed(report.floats),
  warnings: listed(report.warnings),
  left_out: listed(report.leftOut),
  block_times: report.blockTimes,
  waits_for: { ids_n: report.waitsFor.size, ids: Array.from(report.waitsFor).slice(0, 5) },
  unread: report.unread,
  passed_over: report.passedOver,
  unchanged_since: report.unchangedSince,
  error: report.error,
  seconds: report.seconds,
});

/** The result of an import as one JSON document, for `--json`. */
export const importSummary = ({ reports, aborted }: ImportResult, dryRun: boolean) => {
  const files = reports.map(fileSummary);
  const { empty, mostlyRefused } = verdictOf(reports);
  return {
    dry_run: dryRun,
    files,
    total: {
      files: files.length,
      rows_read: files.reduce((sum, { rows_read }) => sum + rows_read, 0),
      observations: summed(
        noObservations,
        files.map(({ observations }) => observations),
      ),
      trades: summed(
        noObservations,
        files.map(({ trades }) => trades),
      ),
      markets: summed(
        noFacts,
        files.map(({ markets }) => markets),
      ),
      passed_over: files.filter(({ passed_over }) => passed_over !== null).length,
      unchanged: files.filter(({ unchanged_since }) => unchanged_since !== null).length,
      errors: files.filter(({ error }) => error !== null).length,
    },
    /** Files that gave nothing, with the most likely remedy, and files of which more than 1 % was refused. */
    empty,
    mostly_refused: mostlyRefused,
    aborted,
  };
};
