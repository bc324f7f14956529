import { type Archive, type ObservationBatch, type Staging, storeAllSpans } from '../archive.js';
import { type BlockConsumer, type FileContext } from '../intake/file-context.js';
import { observationBatchSender, type ObservationBatchSender } from '../intake/observation-batch-sender.js';
import { observedMarkets } from '../intake/observed-markets.js';
import { QuoteBatch, type QuoteField, quoteFields } from '../intake/quote-batch.js';
import { ArchiveError } from '../errors.js';
import type { CompiledMapping, ObservationColumns } from '../mapping/compile-mapping.js';
import type { RowBlock } from '../sources/source.js';
import { blockViews, type ReadView } from './block-views.js';
import { observedSpans } from './observed-spans.js';

/** What waits in a staging table for one move. Readers see the rows of a market half only if a file has more than this. */
const stagedMax = { rows: 100_000_000, markets: 20_000, spans: 20_000 };
/** The service merges the batches that wait while it inserts. */
const inFlightMax = 12;

/**
 * Imports quotes by column. Plain rows become columns of numbers without a text. All others go through the same reader as in
 * `observationRows`, so both give the same rows, report and refusals.
 */
export const bulkObservations = (
  context: FileContext,
  { views, cadence }: Pick<CompiledMapping, 'views' | 'cadence'>,
  first: Staging,
): BlockConsumer<RowBlock> => {
  const { archive, catalogue, report } = context;
  const observed = views.flatMap(({ observation }) => observation ?? []);
  const batch = new QuoteBatch(fieldsOf(observed), columnsOf(observed));
  const markets = observedMarkets(context);
  const spans = cadence === null ? null : observedSpans(cadence, 'top');
  const readViews = blockViews(context, views, markets);
  const staging = new FileStaging(archive, first);

  const send = async (): Promise<void> => {
    const full = batch.take();
    if (full) await staging.send(full);
  };
  /** A market is recorded before readers see its observations. Spans come after them. */
  const publish = async (): Promise<void> => {
    await send();
    await staging.drained();
    await catalogue.flush();
    await staging.publish((rows) => (report.observationsStored += rows));
    await storeAllSpans(archive, spans?.take() ?? []);
  };
  const closeMarkets = async (): Promise<void> => {
    spans?.endAll();
    await publish();
    await markets.close();
  };
  const add = (view: ReadView, row: number, line: number): boolean => {
    const market = view.plain(row);
    if (market === null) {
      const found = view.read(row, line);
      if (!found) return false;
      spans?.see(found.market.fact.ticker, found.us);
      report.observationsRead += 1;
      return batch.addRow(found.market.batched, found);
    }
    spans?.see(market.fact.ticker, view.columns.us[row] ?? 0);
    report.observationsRead += 1;
    return batch.add(market.batched, view.columns, row);
  };

  return {
    consume: async (block) => {
      const { count, views: read } = readViews(block);
      for (let row = 0; row < count; row += 1) {
        const line = block.lineOf(row);
        for (const view of read) if (add(view, row, line)) await send();
        if (markets.isFull()) await closeMarkets();
      }
      if (staging.isFull() || (spans?.ended() ?? 0) >= stagedMax.spans) await publish();
    },
    finish: closeMarkets,
  };
};

const fieldsOf = (observed: readonly ObservationColumns[]): readonly QuoteField[] => {
  const has: Readonly<Record<QuoteField, (columns: ObservationColumns) => unknown>> = {
    venueUs: ({ venueTs }) => venueTs,
    seq: ({ seq }) => seq,
    bid: ({ bid }) => bid,
    ask: ({ ask }) => ask,
    coinPrice: ({ coinPrice }) => coinPrice,
    bidSize: ({ bidSize }) => bidSize,
    askSize: ({ askSize }) => askSize,
  };
  return quoteFields.flatMap(({ name }) => (observed.some(has[name]) ? [name] : []));
};

const columnsOf = (observed: readonly ObservationColumns[]): 'top' | 'top_sizes' =>
  observed.some(({ bidSize, askSize }) => bidSize ?? askSize) ? 'top_sizes' : 'top';

/** The staging tables of one file, one after the other. */
class FileStaging {
  private staging: Staging | null;
  private readonly markets = new Set<string>();
  private readonly sender: ObservationBatchSender;
  private rows = 0;

  constructor(
    private readonly archive: Pick<Archive, 'openStaging'>,
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
    const staging = this.staging ?? (await this.archive.openStaging?.()) ?? 'cluster';
    if (typeof staging === 'string')
      throw new ArchiveError(`The archive had staging tables before, and has none now (${staging}).`);
    return (this.staging = staging);
  }
}
