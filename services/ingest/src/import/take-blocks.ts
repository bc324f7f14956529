import type { OpenedSource } from '../sources/open/open-source.js';
import type { BrokenRow } from '../sources/source.js';
import type { BlockConsumer } from '../intake/file-context.js';
import type { ImportOptions } from './import-file.js';
import type { RefusedRows } from '../intake/refused-rows.js';
import { count, type FileReport } from '../intake/report.js';

/** How the report counts the rows of each kind of mapping. */
export const reportedKinds = {
  trade: 'trades',
  candle: 'candles',
  observation: 'observations',
  book: 'observations',
  market: 'records',
  fee: 'records',
  coin: 'coinPrices',
} as const;

export interface ReportedWork {
  readonly options: ImportOptions;
  readonly report: FileReport;
  readonly refused: RefusedRows;
}

export interface FileWork extends ReportedWork {
  readonly opened: OpenedSource;
}

export const showProgress = (
  { options, report }: ReportedWork,
  { sizeBytes, bytesRead }: Pick<OpenedSource, 'sizeBytes' | 'bytesRead'>,
): void => {
  const { file, rowsRead, observationsStored } = report;
  options.onProgress?.({ file, sizeBytes, bytesRead: bytesRead(), rowsRead, observationsStored });
};

/** `finish` runs last, even after an error in the file. */
interface BlockConsumption<Block> {
  readonly consumer: BlockConsumer<Block>;
  /** What a row is. `records` are of a catalogue. */
  readonly rowKind: (typeof reportedKinds)[keyof typeof reportedKinds];
  readonly sizeOf: (block: Block) => number;
  readonly finish: () => Promise<void>;
}

export const takeBlocks = async <Block extends { readonly broken: readonly BrokenRow[] }>(
  work: FileWork,
  blocks: AsyncIterable<Block>,
  { consumer, rowKind, sizeOf, finish }: BlockConsumption<Block>,
): Promise<void> => {
  const { report, refused } = work;
  let broken: { readonly error: unknown } | null = null;
  try {
    for await (const block of blocks) {
      report.rowsRead += sizeOf(block) + block.broken.length;
      for (const { line, reason, text } of block.broken) {
        count(report.refused, reason);
        report.refusals += 1;
        report[`${rowKind}Refused`] += 1;
        refused.add({ [report.numbering]: line, reason, row: text });
      }
      await consumer.consume(block);
      await refused.flush();
      showProgress(work, work.opened);
    }
  } catch (error) {
    broken = { error };
  }
  await consumer.finish();
  await finish();
  if (broken) throw broken.error;
};
