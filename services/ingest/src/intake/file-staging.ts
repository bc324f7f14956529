import { constants, zstdCompressSync } from 'node:zlib';
import type { Archive, ObservationBatch, StagedKind, Staging } from '../archive.js';
import { ArchiveError } from '../errors.js';
import { observationBatchSender, type ObservationBatchSender } from './observation-batch-sender.js';

/** What waits in a staging table for one move. Readers see the rows of a market half only if a file has more than this. */
export const stagedMax = { rows: 100_000_000, markets: 20_000, spans: 20_000 };
/** The service merges the batches that wait while it inserts, and fewer inserts make fewer parts to merge. */
const inFlightMax = { batches: 64, bytes: 8_400_000 };

/** Neighbouring rows are alike: 80 MB of books become 2 MB, in less time than it takes to send them. */
const zstd = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compressed = ({ body, ...batch }: ObservationBatch): ObservationBatch => ({
  ...batch,
  body: zstdCompressSync(body, zstd),
  coding: 'zstd',
});

/** The staging tables of one file, one after the other. */
export class FileStaging {
  private staging: Staging | null;
  private readonly markets = new Set<string>();
  private readonly sender: ObservationBatchSender;
  private rows = 0;

  constructor(
    private readonly archive: Pick<Archive, 'openStaging'>,
    private readonly kind: StagedKind,
    first: Staging,
  ) {
    this.staging = first;
    const storeObservations = async (batch: ObservationBatch): Promise<void> => (await this.current()).store(batch);
    this.sender = observationBatchSender({ storeObservations }, inFlightMax);
  }

  async send(batch: ObservationBatch): Promise<void> {
    this.rows += batch.rows;
    for (const { ticker } of batch.markets) this.markets.add(ticker);
    // Before it waits, so that what is in flight is small.
    const { hasZstd } = await this.current();
    await this.sender.send(hasZstd ? compressed(batch) : batch, Promise.resolve());
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
    const staging = this.staging ?? (await this.archive.openStaging?.(this.kind)) ?? 'cluster';
    if (typeof staging === 'string')
      throw new ArchiveError(`The archive had staging tables before, and has none now (${staging}).`);
    return (this.staging = staging);
  }
}
