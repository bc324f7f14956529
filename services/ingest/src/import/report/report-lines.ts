import type { Counts, FileReport, MessageCounts, OutcomeCounts, RebuildCounts } from '../../intake/report.js';
import {
  candlesOf,
  coinPricesOf,
  noObservations,
  type ObservationSummary,
  observationsOf,
  readOf,
  summed,
  tradesOf,
} from './summary.js';

const number = new Intl.NumberFormat('en-US');
const sum = (counts: Counts): number => Array.from(counts.values()).reduce((total, one) => total + one, 0);
const plural = (amount: number, one: string, many = `${one}s`): string =>
  `${number.format(amount)} ${amount === 1 ? one : many}`;

const reasons = (title: string, counts: Counts, about: (reason: string) => string = () => ''): string[] =>
  counts.size === 0
    ? []
    : [
        `  ${title} ${number.format(sum(counts))}:`,
        ...Array.from(counts)
          .toSorted((a, b) => b[1] - a[1])
          .map(([reason, times]) => `    ${number.format(times)}  ${reason}${about(reason)}`),
      ];

const outcomeLine = (
  what: string,
  { created, changed, unchanged, refused }: OutcomeCounts,
  { read, dryRun }: { read: number; dryRun: boolean },
): string =>
  dryRun
    ? `  ${what} ${number.format(read)}, none recorded (dry run)`
    : `  ${what} read ${number.format(read)}: created ${number.format(created)}, changed ${number.format(changed)}, ` +
      `unchanged ${number.format(unchanged)}, refused ${number.format(refused)}`;

const messagesLine = (messages: MessageCounts): string => {
  const { applied, other, refused, notApplied } = messages;
  return (
    `  messages read ${number.format(readOf(messages))}: applied to a book ${number.format(applied)}, without a book ` +
    `${number.format(other)}, refused ${number.format(refused)}, not applied ${number.format(notApplied)}`
  );
};

const booksLine = ({ snapshots, changes, gaps, verified }: RebuildCounts): string =>
  `  books: ${plural(snapshots, 'snapshot')}, ${plural(changes, 'change')}, ${plural(gaps, 'gap')}` +
  (verified === 0 ? '' : `, ${number.format(verified)} verified by the venue's hash`);

const rowsText = (what: string, rows: ObservationSummary, dryRun: boolean): string => {
  const { read, stored, replaced_equal: equal, replaced_different: different, refused, not_stored } = rows;
  return (
    `${what} read ${number.format(read)}: ${dryRun ? 'to store' : 'stored'} ${number.format(stored)}, ` +
    `replaced ${number.format(equal + different)}` +
    (equal + different === 0 ? '' : ` (${number.format(equal)} equal, ${number.format(different)} different)`) +
    `, refused ${number.format(refused)}` +
    (not_stored === 0 ? '' : `, not stored ${number.format(not_stored)}`) +
    (dryRun ? ' (dry run)' : '')
  );
};

const countLines = (report: FileReport, dryRun: boolean): string[] => {
  const { entities, markets, messages, rowsRead } = report;
  const { series, event } = entities;
  const rate = report.seconds > 0 ? ` in ${report.seconds.toFixed(1)} s` : '';
  const observations = observationsOf(report);
  const lines = [`  rows read ${number.format(rowsRead)}${rate}`];
  if (observations.read > 0) lines.push(`  ${rowsText('observations', observations, dryRun)}`);
  const trades = tradesOf(report);
  if (trades.read > 0) lines.push(`  ${rowsText('trades', trades, dryRun)}`);
  const candles = candlesOf(report);
  if (candles.read > 0) lines.push(`  ${rowsText('candles', candles, dryRun)}`);
  const coinPrices = coinPricesOf(report);
  if (coinPrices.read > 0) lines.push(`  ${rowsText('coin prices', coinPrices, dryRun)}`);
  lines.push(...report.notes.map((note) => `  ${note}`));
  if (report.blockTimes > 0) lines.push(`  times of blocks read ${number.format(report.blockTimes)}`);
  if (messages) lines.push(messagesLine(messages));
  if (report.books) lines.push(booksLine(report.books));
  if (series.sent > 0) lines.push(outcomeLine('series', series, { read: series.sent, dryRun }));
  if (event.sent > 0) lines.push(outcomeLine('events', event, { read: event.sent, dryRun }));
  if (markets > 0 || series.sent + event.sent + coinPrices.read === 0)
    lines.push(outcomeLine('markets', report.outcomes, { read: markets, dryRun }));
  if (report.rolling.length > 0) lines.push(`  rolling series ${report.rolling.join(', ')}`);
  return lines;
};

export const reportLines = (report: FileReport, dryRun: boolean): string[] => {
  const lines = [`${report.file}${report.mapping === null ? '' : ` (${report.mapping})`}`];
  if (report.mapping !== null) lines.push(...countLines(report, dryRun));
  lines.push(...reasons('refused', report.refused));
  if (report.refusedFile !== null) lines.push(`    each with its ${report.numbering} in ${report.refusedFile}`);
  lines.push(
    ...reasons('left out', report.leftOut),
    ...reasons('fields dropped', report.dropped, (reason) => {
      const first = report.droppedFirst.get(reason);
      const value = first?.value ?? null;
      return first
        ? `, first in ${report.numbering} ${first.line}${value === null ? '' : `: ${value.slice(0, 60)}`}`
        : '';
    }),
    ...reasons('values kept with fewer digits', report.altered, (reason) => {
      const example = report.alteredExamples.get(reason);
      return example ? `, such as ${example.from} as ${example.to}` : '';
    }),
    ...reasons('binary floats, read by their shortest decimal', report.floats),
    ...reasons('warnings', report.warnings),
  );
  if (report.unread.length > 0) lines.push(`  not read: ${report.unread.join(', ')}`);
  if (report.passedOver !== null) lines.push(`  passed over: ${report.passedOver}`);
  if (report.unchangedSince !== null) lines.push(`  unchanged since ${report.unchangedSince}, skipped`);
  if (report.error !== null) lines.push(`  error: ${report.error.replace(`${report.file}: `, '')}`);
  return lines;
};

/** The files that a mapping of the command line was used for. */
export const mappedLine = (reports: readonly FileReport[], mapping: string): string => {
  const files = reports.filter((report) => report.mapping === mapping).map(({ file }) => file);
  const used = `The mapping ${mapping} describes ${number.format(files.length)} of ${plural(reports.length, 'file')}`;
  return files.length === 0 ? used : `${used}: ${files.join(', ')}`;
};

/** The last lines of a report: one of all files, and one of all observations if there are any. */
export const totalLines = (reports: readonly FileReport[], dryRun: boolean): string[] => {
  const total = (of: (report: FileReport) => number): number => reports.reduce((all, report) => all + of(report), 0);
  const passedOver = total((report) => (report.passedOver === null ? 0 : 1));
  const unchanged = total((report) => (report.unchangedSince === null ? 0 : 1));
  const failed = total((report) => (report.error === null ? 0 : 1));
  const observations = summed(noObservations, reports.map(observationsOf));
  const trades = summed(noObservations, reports.map(tradesOf));
  const candles = summed(noObservations, reports.map(candlesOf));
  const created = total((report) => report.outcomes.created);
  const files = [
    plural(reports.length, 'file'),
    `${plural(
      total((report) => report.rowsRead),
      'row',
    )} read`,
    dryRun
      ? 'nothing stored (dry run)'
      : `${plural(observations.stored, 'observation')} stored, ${plural(created, 'market')} created`,
    `${number.format(total((report) => sum(report.refused)))} refused`,
    ...(passedOver > 0 ? [`${plural(passedOver, 'file')} passed over`] : []),
    ...(unchanged > 0 ? [`${plural(unchanged, 'file')} unchanged`] : []),
    ...(failed > 0 ? [`${plural(failed, 'file')} with an error`] : []),
  ].join(', ');
  return [
    ...(observations.read === 0 ? [] : [`All ${rowsText('observations', observations, dryRun)}`]),
    ...(trades.read === 0 ? [] : [`All ${rowsText('trades', trades, dryRun)}`]),
    ...(candles.read === 0 ? [] : [`All ${rowsText('candles', candles, dryRun)}`]),
    files,
  ];
};
