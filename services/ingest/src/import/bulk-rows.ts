import type { StagedTable } from '@almanac/contracts';
import { type Archive, type ObservationBatch, type Staging, storeAllSpans } from '../archive.js';
import { ArchiveError } from '../errors.js';
import type { BlockConsumer, FileContext } from '../intake/file-context.js';
import { observationBatchSender, type ObservationBatchSender } from '../intake/observation-batch-sender.js';
import type { ObservedMarkets } from '../intake/observed-markets.js';
import type { RowBlock } from '../sources/source.js';
import type { ObservedSpans } from './observed-spans.js';

/** What waits in a staging table for one move. Readers see the rows of a market half only if a file has more than this. */
const stagedMax = { rows: 100_000_000, markets: 20_000, spans: 20_000 };
/** The service merges the batches that wait while it inserts. */
const inFlightMax = 12;

/** Adds one market's part of a row to the batch, or refuses it. Returns whether the batch is full and must be taken first. */
export type TakeRow = (row: number, line: number) => boolean;

/** What is special about a kind of rows: how they are read, and what they become. */
export interface ColumnRows {
  readonly table: StagedTable;
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

/** The staging tables of one file, one after the other. */
class FileStaging {
  private staging: Staging | null;
  private readonly markets = new Set<string>();
  private readonly sender: ObservationBatchSender;
  private rows = 0;

  constructor(
    private readonly archive: Pick<Archive, 'openStaging'>,
    private readonly table: StagedTable,
    first: Staging,
  ) {
    this.staging = first;
    const storeObservations = async (batch: ObservationBatch): Promise<void> => (await this.current()).store(batch);
    this.sender = observationBatchSender({ storeObservations }, inFlightMax);
  }

  async send(batch: ObservationBatch): Promise<void> {
    this.rows += batch.rows;
    for (const { ticker } of batch.markets) this.markets.add(ticker);
    await this.sender.send(batch, Promise.resolve());
  }

  drained(): Promise<void> {
    return this.sender.drained();
  }

  isFull(): boolean {
    return this.rows >= stagedMax.rows || this.markets.size >= stagedMax.markets;
  }

  async publish(onPublished: (rows: number) => void): Promise<void> {
    if (this.rows === 0) return;
    const staging = await this.current();
    await staging.publish();
    onPublished(this.rows);
    this.staging = null;
    this.rows = 0;
    this.markets.clear();
  }

  /** Opened before the first of concurrent batches. */
  private async current(): Promise<Staging> {
    const staging = this.staging ?? (await this.archive.openStaging?.(this.table)) ?? 'cluster';
    if (typeof staging === 'string')
      throw new ArchiveError(`The archive had staging tables before, and has none now (${staging}).`);
    return (this.staging = staging);
  }
}
