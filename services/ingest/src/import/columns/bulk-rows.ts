import { type ObservationBatch, type StagedKind, type Staging, storeAllSpans } from '../../archive.js';
import type { BlockConsumer, FileContext } from '../../intake/file-context.js';
import { FileStaging, stagedMax } from '../../intake/file-staging.js';
import type { ObservedMarkets } from '../../intake/observed-markets.js';
import type { RowBlock } from '../../sources/source.js';
import type { ObservedSpans } from '../rows/observed-spans.js';

/** Adds one market's part of a row to the batch, or refuses it. Returns whether the batch is full and must be taken first. */
export type TakeRow = (row: number, line: number) => boolean;

/** What is special about a kind of rows: how they are read, and what they become. */
export interface ColumnRows {
  readonly table: StagedKind;
  readonly read: (block: RowBlock) => { readonly count: number; readonly views: readonly TakeRow[] };
  readonly take: () => ObservationBatch | null;
  /** Called when readers see further rows. */
  readonly stored: (rows: number) => void;
  readonly spans: ObservedSpans | null;
}

/**
 * Imports rows by column into staging tables. Plain rows become columns of numbers without a text. All others go through the
 * same reader as on the way by row, so both give the same rows, report and refusals.
 */
export const bulkRows = (
  { archive, catalogue }: FileContext,
  { rows, markets, first }: { readonly rows: ColumnRows; readonly markets: ObservedMarkets; readonly first: Staging },
): BlockConsumer<RowBlock> => {
  const { spans, table } = rows;
  const staging = new FileStaging(archive, table, first);

  const send = async (): Promise<void> => {
    const full = rows.take();
    if (full) await staging.send(full);
  };
  /** A market is recorded before readers see its rows. Spans come after them. */
  const publish = async (): Promise<void> => {
    await send();
    await staging.drained();
    await catalogue.flush();
    await staging.publish(rows.stored);
    await storeAllSpans(archive, spans?.take() ?? []);
  };
  const closeMarkets = async (): Promise<void> => {
    spans?.endAll();
    await publish();
    await markets.close();
  };

  return {
    consume: async (block) => {
      const { count, views } = rows.read(block);
      for (let row = 0; row < count; row += 1) {
        const line = block.lineOf(row);
        for (const take of views) if (take(row, line)) await send();
        if (markets.isFull()) await closeMarkets();
      }
      if (staging.isFull() || (spans?.ended() ?? 0) >= stagedMax.spans) await publish();
    },
    finish: closeMarkets,
  };
};
