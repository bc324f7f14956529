import { type ObservationBatch, spansMax, type Staging } from '../archive.js';
import type { FileContext } from '../intake/file-context.js';
import { FileStaging, stagedMax } from '../intake/file-staging.js';
import { type BatchedMarket, batchBuilder } from '../intake/observation-batch.js';
import { type ObservationBatchSender, observationBatchSender } from '../intake/observation-batch-sender.js';
import { type BookRow, bookRowTexts } from '../model/book-row.js';
import { BookBatch } from './book-batch.js';

/** Where the rows of books go. A market is recorded before readers see its rows. */
export interface BookTarget {
  /** Spans that wait for their rows at most. */
  readonly spansMax: number;
  add(market: BatchedMarket, row: BookRow): void;
  /** Whether a batch is complete. */
  isReady(): boolean;
  /** Whether everything must be stored before more comes. */
  isFull(): boolean;
  /** Ends the present batch. */
  cut(): void;
  /** Sends the complete batches. */
  send(): Promise<void>;
  /** Resolves when readers see every row that was sent. */
  settle(): Promise<void>;
}

/** Staged rows are seen by readers when the file ends. */
export const bookTarget = (context: FileContext, staging: Staging | null): BookTarget =>
  staging === null ? new LiveBooks(context) : new StagedBooks(context, staging);

/** Batches of texts. Readers see each as soon as it is stored. */
class LiveBooks implements BookTarget {
  readonly spansMax = spansMax;
  private readonly builder = batchBuilder('l2');
  private readonly sender: ObservationBatchSender;
  private ready: ObservationBatch[] = [];

  constructor(private readonly context: FileContext) {
    this.sender = observationBatchSender(context.archive);
  }

  add(market: BatchedMarket, row: BookRow): void {
    const texts = bookRowTexts(row);
    if (this.builder.add(market, texts, { ...texts, digest: row.book.digest() })) this.cut();
  }

  isReady(): boolean {
    return this.ready.length > 0;
  }

  isFull(): boolean {
    return false;
  }

  cut(): void {
    const batch = this.builder.take();
    if (batch) this.ready.push(batch);
  }

  async send(): Promise<void> {
    const batches = this.ready;
    this.ready = [];
    for (const batch of batches) await this.sender.send(batch, this.context.catalogue.flush());
    this.noteStored();
  }

  settle(): Promise<void> {
    return this.sender.drained().finally(() => this.noteStored());
  }

  private noteStored(): void {
    this.context.report.observationsStored = this.sender.storedRows();
  }
}

/** Batches by column in a staging table. */
class StagedBooks implements BookTarget {
  readonly spansMax = stagedMax.spans;
  private readonly batch = new BookBatch();
  private readonly staging: FileStaging;
  private ready: ObservationBatch[] = [];

  constructor(
    private readonly context: FileContext,
    first: Staging,
  ) {
    this.staging = new FileStaging(context.archive, 'books', first);
  }

  add(market: BatchedMarket, row: BookRow): void {
    if (this.batch.add(market, row)) this.cut();
  }

  isReady(): boolean {
    return this.ready.length > 0;
  }

  isFull(): boolean {
    return this.staging.isFull();
  }

  cut(): void {
    const batch = this.batch.take();
    if (batch) this.ready.push(batch);
  }

  async send(): Promise<void> {
    const batches = this.ready;
    this.ready = [];
    for (const batch of batches) await this.staging.send(batch);
  }

  async settle(): Promise<void> {
    const { catalogue, report } = this.context;
    await this.staging.drained();
    await catalogue.flush();
    await this.staging.publish((rows) => (report.observationsStored += rows));
  }
}
