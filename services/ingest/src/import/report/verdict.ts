import type { FileReport } from '../../intake/report.js';
import { partRemedyOf, remedyOf } from './remedies.js';

/** A file that gave the archive nothing, or little, and why. */
export interface EmptyFile {
  readonly file: string;
  readonly remedy: string | null;
}

/** Whether an import gave what its caller expects. */
export interface Verdict {
  /** Files whose rows were all refused or not applied. */
  readonly empty: readonly EmptyFile[];
  /** Whether no file gave anything, although none failed. */
  readonly isNothing: boolean;
  /** Files of which more than 1 % was refused. */
  readonly mostlyRefused: readonly (EmptyFile & { readonly refused: number; readonly read: number })[];
}

const refusedShareMax = 0.01;

export const verdictOf = (reports: readonly FileReport[]): Verdict => {
  const empty = reports.filter((report) => report.rowsRead > 0 && !hasGiven(report));
  return {
    empty: empty.map((report) => ({ file: report.file, remedy: report.error ?? remedyOf(report) })),
    isNothing:
      empty.length === 0 &&
      reports.every((report) => report.error === null && report.unchangedSince === null && !hasGiven(report)),
    mostlyRefused: reports.flatMap((report) => {
      const { file, rowsRead: read } = report;
      const refused = Math.min(report.refusals, read);
      return hasGiven(report) && refused > read * refusedShareMax
        ? [{ file, refused, read, remedy: partRemedyOf(report) }]
        : [];
    }),
  };
};

/** What the archive already has counts too: a repeated import gives the same again. */
export const hasGiven = ({
  observationsRead,
  tradesRead,
  candlesRead,
  coinPricesRead,
  outcomes,
  entities,
  markets,
  messages,
  facts,
  blockTimes,
}: FileReport): boolean =>
  observationsRead + tradesRead + candlesRead + coinPricesRead + facts + blockTimes > 0 ||
  (messages?.applied ?? 0) > 0 ||
  markets > outcomes.refused ||
  Object.values(entities).some(({ sent, refused }) => sent > refused);

const number = new Intl.NumberFormat('en-US');
const namedMax = 5;

/** The last lines of a report. Empty if all is well. */
export const verdictLines = (
  { empty, isNothing, mostlyRefused }: Verdict,
  reports: readonly FileReport[],
): readonly string[] => [
  ...mostlyRefused.map(
    ({ file, refused, read, remedy }) =>
      `Warning: ${number.format(refused)} of ${number.format(read)} rows of ${file} were refused${remedy === null ? '' : ` (${remedy})`}.`,
  ),
  ...(isNothing ? [`Nothing was imported${nothingWhy(reports)}`] : []),
  ...(empty.length === 0 ? [] : [emptyLine(empty)]),
];

const nothingWhy = (reports: readonly FileReport[]): string => {
  const why = reports.find(({ passedOver }) => passedOver !== null);
  if (why === undefined) return ': the files have no rows.';
  return `: no file was recognised. ${why.file}: ${why.passedOver ?? ''}. Describe it with --mapping FILE.`;
};

const emptyLine = (empty: readonly EmptyFile[]): string => {
  const named = empty.slice(0, namedMax).map(({ file, remedy }) => (remedy === null ? file : `${file} (${remedy})`));
  const more = empty.length > namedMax ? ` and ${number.format(empty.length - namedMax)} more` : '';
  return `Nothing was imported from ${named.join(', ')}${more}.`;
};
