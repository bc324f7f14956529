import type { Numbering } from '../sources/source.js';
import type { RebuildCounts } from '../books/rebuild.js';
import type { MarketOutcome } from './seen-markets.js';

export type Counts = Map<string, number>;

export const count = (counts: Counts, reason: string, by = 1): void => {
  counts.set(reason, (counts.get(reason) ?? 0) + by);
};

export type EntityCounts = Record<MarketOutcome, number> & { sent: number };

export interface FileReport {
  readonly file: string;
  /** A mapping, or the format of a venue's catalogue. */
  mapping: string | null;
  rowsRead: number;
  observationsRead: number;
  observationsStored: number;
  books: RebuildCounts | null;
  /** Market facts that were sent, whatever the outcome. */
  markets: number;
  readonly outcomes: Record<MarketOutcome, number>;
  readonly entities: Readonly<Record<'series' | 'event', EntityCounts>>;
  readonly rolling: string[];
  /** How refused rows are numbered. */
  numbering: Numbering;
  /** By reason: rows, one market's part of a row, or markets that the catalogue refused. */
  readonly refused: Counts;
  /** By field and reason. */
  readonly dropped: Counts;
  /** By field and how: values stored with fewer digits than the file has. */
  readonly altered: Counts;
  readonly warnings: Counts;
  refusedFile: string | null;
  /** Why the file was skipped without an error. */
  passedOver: string | null;
  error: string | null;
  /** The archive no longer stores anything, so further files would fail too. */
  archiveFailed: boolean;
  seconds: number;
}

export const newReport = (file: string): FileReport => ({
  file,
  mapping: null,
  rowsRead: 0,
  observationsRead: 0,
  observationsStored: 0,
  books: null,
  markets: 0,
  outcomes: { created: 0, changed: 0, unchanged: 0 },
  entities: {
    series: { sent: 0, created: 0, changed: 0, unchanged: 0 },
    event: { sent: 0, created: 0, changed: 0, unchanged: 0 },
  },
  numbering: 'line',
  rolling: [],
  refused: new Map(),
  dropped: new Map(),
  altered: new Map(),
  warnings: new Map(),
  refusedFile: null,
  passedOver: null,
  error: null,
  archiveFailed: false,
  seconds: 0,
});

const number = new Intl.NumberFormat('en-US');
const sum = (counts: Counts): number => Array.from(counts.values()).reduce((total, one) => total + one, 0);
const plural = (amount: number, one: string, many = `${one}s`): string =>
  `${number.format(amount)} ${amount === 1 ? one : many}`;

const reasons = (title: string, counts: Counts): string[] =>
  counts.size === 0
    ? []
    : [
        `  ${title} ${number.format(sum(counts))}:`,
        ...Array.from(counts)
          .toSorted((a, b) => b[1] - a[1])
          .map(([reason, times]) => `    ${number.format(times)}  ${reason}`),
      ];

const outcomeLine = (
  what: string,
  { created, changed, unchanged }: Record<MarketOutcome, number>,
  dry: number | null,
): string =>
  dry === null
    ? `  ${what} created ${number.format(created)}, changed ${number.format(changed)}, unchanged ${number.format(unchanged)}`
    : `  ${what} ${number.format(dry)}, none recorded (dry run)`;

const booksLine = ({ snapshots, changes, uncertainChanges, gaps }: RebuildCounts): string =>
  `  books: ${plural(snapshots, 'snapshot')}, ${plural(changes, 'change')} applied, ${plural(gaps, 'gap')}` +
  (uncertainChanges === 0 ? '' : ` with ${plural(uncertainChanges, 'change')} inside, not applied`);

export const reportLines = (report: FileReport, dryRun: boolean): string[] => {
  const { outcomes } = report;
  const rate = report.seconds > 0 ? ` in ${report.seconds.toFixed(1)} s` : '';
  const lines = [`${report.file}${report.mapping === null ? '' : ` (${report.mapping})`}`];
  if (report.mapping !== null) {
    lines.push(`  rows read ${number.format(report.rowsRead)}${rate}`);
    if (report.observationsRead > 0)
      lines.push(
        dryRun
          ? `  observations ${number.format(report.observationsRead)}, none stored (dry run)`
          : `  observations read ${number.format(report.observationsRead)}, stored ${number.format(report.observationsStored)}`,
      );
    if (report.books) lines.push(booksLine(report.books));
    const { series, event } = report.entities;
    if (series.sent > 0) lines.push(outcomeLine('series', series, dryRun ? series.sent : null));
    if (event.sent > 0) lines.push(outcomeLine('events', event, dryRun ? event.sent : null));
    if (report.markets > 0 || series.sent + event.sent === 0)
      lines.push(outcomeLine('markets', outcomes, dryRun ? report.markets : null));
    if (report.rolling.length > 0) lines.push(`  rolling series ${report.rolling.join(', ')}`);
  }
  lines.push(...reasons('refused', report.refused));
  if (report.refusedFile !== null) lines.push(`    each with its ${report.numbering} in ${report.refusedFile}`);
  lines.push(
    ...reasons('fields dropped', report.dropped),
    ...reasons('values kept with fewer digits', report.altered),
    ...reasons('warnings', report.warnings),
  );
  if (report.passedOver !== null) lines.push(`  passed over: ${report.passedOver}`);
  if (report.error !== null) lines.push(`  error: ${report.error.replace(`${report.file}: `, '')}`);
  return lines;
};

export const totalLine = (reports: readonly FileReport[], dryRun: boolean): string => {
  const total = (of: (report: FileReport) => number): number => reports.reduce((all, report) => all + of(report), 0);
  const passedOver = total((report) => (report.passedOver === null ? 0 : 1));
  const failed = total((report) => (report.error === null ? 0 : 1));
  const stored = dryRun
    ? 'nothing stored (dry run)'
    : `${plural(
        total((report) => report.observationsStored),
        'observation',
      )} stored, ` +
      `${plural(
        total((report) => report.outcomes.created),
        'market',
      )} created`;
  return [
    plural(reports.length, 'file'),
    `${plural(
      total((report) => report.rowsRead),
      'row',
    )} read`,
    stored,
    `${number.format(total((report) => sum(report.refused)))} refused`,
    ...(passedOver > 0 ? [`${plural(passedOver, 'file')} passed over`] : []),
    ...(failed > 0 ? [`${plural(failed, 'file')} with an error`] : []),
  ].join(', ');
};
