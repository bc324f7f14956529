import type { Archive, Staging } from '../archive.js';
import { ArchiveError, ImportError, sentenceOf } from '../errors.js';
import { openBookFolder } from '../recordings/book-folder.js';
import type { BookRuns, BookSource } from '../model/book-source.js';
import type { BookMessage } from '../model/feed-message.js';
import { type HourlyFormat, openHour } from '../recordings/hourly-books.js';
import type { OpenContainers } from '../sources/open/containers.js';
import type { KnownCatalogue } from '../sources/known-catalogue.js';
import type { KnownOutcomes } from '../sources/known-outcomes.js';
import { openSource, type OpenedSource } from '../sources/open/open-source.js';
import { openRecording, noBooks, noteTable, passOver } from './files/opened-file.js';
import { awaitedOutcomes } from './rows/awaited-outcomes.js';
import { blockRecords } from './rows/block-records.js';
import { catalogueBatchSender } from '../intake/catalogue-batch-sender.js';
import { catalogueRecords } from './rows/catalogue-records.js';
import { countedArchive } from './counted-archive.js';
import { rollingDetector } from '../intake/rolling.js';
import type { Numbering } from '../sources/source.js';
import { acceptAltered, type FileContext } from '../intake/file-context.js';
import { feeRows } from './rows/fee-rows.js';
import type { FoundFile } from './files/find-files.js';
import { type BooksWork, importBooks } from './books/import-books.js';
import type { Rebuild } from '../books/rebuild.js';
import { everySequence, type SequenceRule } from '../books/sequence-rules.js';
import { frameBooks, hourBooks, type SharedFeed } from './books/frame-books.js';
import { mappedBooks } from './books/mapped-books.js';
import { marketRows } from './rows/market-rows.js';
import { boundRows } from './rows/bound-rows.js';
import { bulkObservations } from './columns/bulk-observations.js';
import { bulkRows, type ColumnRows } from './columns/bulk-rows.js';
import { bulkTrades } from './columns/bulk-trades.js';
import { observedMarkets, type ObservedMarkets } from '../intake/observed-markets.js';
import { stagingOfBooks, stagingOfRows } from './file-way.js';
import { bulkBytesMin } from './import-way.js';
import { priceDoubts } from './rows/price-doubts.js';
import { observationRows } from './rows/observation-rows.js';
import {
  isFileSystemError,
  isMapping,
  type Mappings,
  type DetectedFormat,
  detectFormat,
} from './files/detect-format.js';
import { addRows, type RepeatedByKind } from '../intake/repeated-rows.js';
import { recordSeries } from './files/record-series.js';
import { refusedRows } from '../intake/refused-rows.js';
import { count, newReport, type FileReport } from '../intake/report.js';
import { candleRecords } from '../candles/candle-records.js';
import type { ArchiveJoins } from '../joins/archive-joins.js';
import { coinRows } from './rows/coin-rows.js';
import { candleRows } from '../candles/candle-rows.js';
import { type FileWork, reportedKinds, type ReportedWork, showProgress, takeBlocks } from './take-blocks.js';
import { tradeRecords } from '../trades/trade-records.js';
import { tradeRows } from '../trades/trade-rows.js';

export interface ImportOptions {
  readonly archive: Archive;
  readonly mappings: Mappings;
  /** Catalogue facts that the files of this import share. */
  readonly known: KnownCatalogue;
  /** The markets of conditions and tokens. */
  readonly outcomes: KnownOutcomes;
  /** Opens files in containers. */
  readonly containers: OpenContainers;
  /** Counts rows that the files of this import repeat. */
  readonly repeated: RepeatedByKind;
  /** What is joined with the rest of the archive at the end of the import. */
  readonly joins: Pick<ArchiveJoins, 'seeBatch' | 'seeFacts'>;
  /** What the recordings of frames of this import share. */
  readonly feed: SharedFeed;
  /** What the numbers of frames say. Default: as the files show. */
  readonly sequence?: Exclude<SequenceRule, 'whole'> | undefined;
  /** Whether to refuse what would be stored with fewer digits. Default false. */
  readonly exact?: boolean;
  /** Folder for the files of refused rows. */
  readonly refusedFolder: string;
  readonly startedAt: Date;
  /** The sampling interval of books in microseconds. `everyChangeUs` stores every change. Default 1 s. */
  readonly sampleUs?: number;
  /** From this size on, files whose kind allows it are imported by column. Default: `bulkBytesMin`. */
  readonly bulkFromBytes?: number;
  readonly onProgress?: (progress: FileProgress) => void;
}

export const sampleUsUsual = 1_000_000;

export interface FileProgress {
  readonly file: string;
  readonly sizeBytes: number;
  readonly bytesRead: number;
  readonly rowsRead: number;
  readonly observationsStored: number;
}

/**
 * Imports one file. A fault of the file or the archive goes to the report's `error`, and everything read before it is
 * stored. A file of an unsupported kind is an error if the command line named it, and is skipped if it was found in a
 * folder.
 */
export const importFile = async (
  { isNamed, isFolder, misplaced, ...place }: FoundFile,
  shared: ImportOptions,
): Promise<FileReport> => {
  const { path } = place;
  const report = newReport(path);
  const options = { ...shared, outcomes: awaitedOutcomes(shared.outcomes, report) };
  const { outcomes } = options;
  const refused = refusedRows(options.refusedFolder, path, options.startedAt);
  const startedAt = performance.now();
  let opened: OpenedSource | null = null;
  try {
    const feed = contextOf({ options, report, refused }, 'record');
    const accept = acceptAltered(feed);
    if (misplaced !== null) throw new ImportError(`${path}: ${misplaced}`);
    if (isFolder && isMapping(options.mappings))
      return passOver(report, { isNamed, why: noBooks(options.mappings.name) });
    if (isFolder) {
      const rule = options.sequence === undefined ? {} : { sequences: everySequence(options.sequence) };
      await importFeed({ options, report, refused }, feed, {
        source: await openBookFolder(path, accept, { outcomes, isByColumn: isByColumn(options, Number.MAX_VALUE) }),
        books: rule,
      });
      return report;
    }
    opened = await openSource(place, options.containers);
    const recognised = detectFormat(path, opened, options.mappings);
    if (recognised.kind === 'frames')
      await importFrames(
        { options, report, refused },
        feed,
        await openRecording({ path, opened, recognised }, accept, {
          outcomes,
          isByColumn: isByColumn(options, opened.sizeBytes),
        }),
      );
    else if (recognised.kind === 'hour')
      await importHour({ options, report, refused, opened }, feed, recognised.format);
    else if (recognised.kind !== 'other') await importRecognised({ options, report, refused, opened }, recognised);
    else passOver(report, { isNamed, why: recognised.why });
  } catch (error) {
    report.error = sentenceOf(error);
    report.archiveFailed = error instanceof ArchiveError;
    if (!report.archiveFailed && !(error instanceof ImportError) && !isFileSystemError(error)) throw error;
  } finally {
    if (opened && report.passedOver === null) noteTable(report, opened);
    await opened?.close();
    await refused.close();
    report.refusedFile = refused.path();
    const [rowCounts, tradeCounts] = [options.repeated.observations.take(), options.repeated.trades.take()];
    if (!report.hasStaged) addRows(report.rowCounts, rowCounts);
    if (!report.hasStaged) addRows(report.tradeCounts, tradeCounts);
    report.candleCounts = options.repeated.candles.take();
    report.coinPriceCounts = options.repeated.coins.take();
    report.seconds = (performance.now() - startedAt) / 1000;
  }
  return report;
};

const contextOf = ({ options, report, refused }: ReportedWork, numbering: Numbering): FileContext => {
  report.numbering = numbering;
  const archive = countedArchive(options, report);
  return {
    archive,
    catalogue: catalogueBatchSender(archive),
    report,
    refused,
    series: rollingDetector(),
    labels: new Map(),
    numbering,
    exact: options.exact === true,
  };
};

const importFeed = async (
  work: ReportedWork,
  context: FileContext,
  { source, shape = null, books = {} }: { source: FrameSource; shape?: string | null; books?: BooksWork['books'] },
): Promise<Rebuild> => {
  const { options, refused } = work;
  const afterBlock = async (): Promise<void> => {
    await refused.flush();
    showProgress(work, source);
  };
  const rebuild = await importBooks(source, {
    context,
    sampleUs: options.sampleUs ?? sampleUsUsual,
    afterBlock,
    staging: await stagingOfBooks(work, context, source),
    ...(books && { books }),
  });
  await recordSeries(context, shape);
  return rebuild;
};

type FrameSource = BookSource<BookMessage | BookRuns>;

const importFrames = async (work: ReportedWork, context: FileContext, source: FrameSource): Promise<void> => {
  const { feed, sequence } = work.options;
  feed.rebuild = await importFeed(work, context, { source, books: frameBooks(feed, work.report.file, sequence) });
};

const isByColumn = ({ bulkFromBytes: from = bulkBytesMin }: ImportOptions, bytes: number): boolean => bytes >= from;

const importHour = async (work: FileWork, context: FileContext, format: HourlyFormat): Promise<void> => {
  const { outcomes, feed } = work.options;
  const { hours } = feed;
  const { file: name } = work.report;
  const { sizeBytes } = work.opened;
  const read = { outcomes, sizeBytes, isByColumn: isByColumn(work.options, sizeBytes) };
  const source = openHour({ name, format, around: hours.aroundOf(name), ...read });
  if (format.records.first === null) count(work.report.warnings, 'the hour has no rows');
  hours.rebuild = await importFeed(work, context, { source, books: hourBooks(hours) });
};

type Recognised<Kind extends DetectedFormat['kind']> = Extract<DetectedFormat, { readonly kind: Kind }>;

const importRecognised = async (
  work: FileWork,
  recognised: Recognised<'rows' | 'catalogue' | 'trades' | 'candles' | 'blocks'>,
): Promise<void> => {
  if (recognised.kind === 'rows') return importRows(work, contextOf(work, recognised.source.numbering), recognised);
  const context = contextOf(work, recognised.records.numbering);
  if (recognised.kind === 'candles') return importCandles(work, context, recognised);
  const { options, report } = work;
  report.mapping = recognised.name;
  const { known, outcomes } = options;
  const consumer =
    recognised.kind === 'trades'
      ? tradeRecords(context, { known, outcomes })
      : recognised.kind === 'blocks'
        ? blockRecords(context, { table: recognised.table, known })
        : catalogueRecords(context, known);
  return takeBlocks(work, recognised.records.blocks(), {
    consumer,
    rowKind: recognised.kind === 'trades' ? 'trades' : 'records',
    sizeOf: ({ records }) => records.length,
    finish: () => recordSeries(context, null),
  });
};

const importRows = async (work: FileWork, context: FileContext, recognised: Recognised<'rows'>): Promise<void> => {
  const { options, report } = work;
  const { compiled, source, warnings } = boundRows(recognised, report.file, options.outcomes);
  for (const warning of warnings) count(report.warnings, warning);
  const { name, shape, rowKind: kind, views } = compiled;
  report.mapping = name;
  if (kind === 'level') {
    await importFeed(work, context, { source: mappedBooks(compiled, { source, opened: work.opened, context }), shape });
    return;
  }
  const rowKind = reportedKinds[kind];
  const staging = await stagingOfRows(work, context, { compiled, source });
  const bulk = (first: Staging, rowsOf: (markets: ObservedMarkets) => ColumnRows) => {
    const markets = observedMarkets(context);
    return bulkRows(context, { rows: rowsOf(markets), markets, first });
  };
  const consumer = {
    trades: () =>
      staging ? bulk(staging, (markets) => bulkTrades(context, views, markets)) : tradeRows(context, views),
    candles: () => candleRows(context, views, options.startedAt),
    coinPrices: () => coinRows(context, views),
    observations: () =>
      staging
        ? bulk(staging, (markets) => bulkObservations(context, compiled, markets))
        : observationRows(context, compiled),
    records: () => (kind === 'fee' ? feeRows(context, views) : marketRows(context, views)),
  }[rowKind]();
  const doubts = priceDoubts(views);
  return takeBlocks(work, doubts.seeing(source.blocks(Boolean(staging))), {
    consumer,
    rowKind,
    sizeOf: (block) => block.cells?.count ?? block.rows.length,
    finish: () => {
      for (const doubt of doubts.warnings()) count(report.warnings, doubt);
      return recordSeries(context, shape);
    },
  });
};

const importCandles = (
  work: FileWork,
  context: FileContext,
  { name, format, records }: Extract<DetectedFormat, { kind: 'candles' }>,
): Promise<void> => {
  work.report.mapping = name;
  return takeBlocks(work, records.blocks(), {
    consumer: candleRecords(context, format, work.options.startedAt),
    rowKind: 'candles',
    sizeOf: () => 0, // The consumer counts the candles in each record.
    finish: () => recordSeries(context, null),
  });
};
