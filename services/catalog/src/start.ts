import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bus, connectFromConfig, ensureDeadLetters, ensureStream, rpcClient, serverStreams } from '@almanac/bus';
import { serveService } from '@almanac/bus/server';
import { type ClickHouse, clickHouseFromConfig } from '@almanac/clickhouse';
import { jetStreamStore } from '@almanac/event-store';
import { diskSpaceOf, lowDiskSpaceFault, type Runtime, serviceReadSlots, unixMicros } from '@almanac/runtime';
import { catalogController } from './catalog.controller.js';
import type { CatalogConfig } from './config.js';
import { eventCache } from './event/event-cache.js';
import { type AnswerCache, answerCache } from './answers/answer-cache.js';
import { openMarketStateFile, type MarketStateFile } from './market/states/market-state-file.js';
import { partitionedStates } from './market/states/partitioned-states.js';
import type { CatalogDeps } from './catalog-deps.js';
import { createFactRecorder } from './record/record-facts.command.js';
import { figuresStore } from './series/figures-store.js';
import { type SeriesFigures, seriesFigures } from './series/series-figures.js';
import { replicateSeries } from './series/replicate-series.js';
import { changeLog } from './tables/change-log.js';
import { catalogueChanges } from './tables/changes.js';
import { projectCatalogue } from './tables/catalogue.projector.js';
import { marksOf, type NamedMarket, seriesWords } from './tables/series-words.js';
import { wordCache } from './tables/word-cache.js';
import { vocabularyOf } from './words/vocabulary.js';

/** Starts the catalog service. The tables must exist: the operator's migrations create them. */
export const startCatalog = async (config: CatalogConfig, runtime: Runtime): Promise<void> => {
  const { health, log, onStop } = runtime;
  const bus = await connectFromConfig(config, runtime);
  const clickhouse = clickHouseFromConfig(config, runtime, { application: 'almanac-catalog' });
  for (const stream of ['EVT_CATALOG', 'EVT_ARCHIVE'] as const) await ensureStream(bus, stream);
  await ensureDeadLetters(bus);
  const store = jetStreamStore(bus);
  const onUnreadable = (error: unknown, { subject, seq }: { subject: string; seq: number }) =>
    log.error({ err: error, subject, seq }, 'an event of the catalogue cannot be read');
  const series = await replicateSeries({ bus, clickhouse, onUnreadable, log });
  onStop('series', () => series.stop());
  const diskOf = (partition: number) => statesOf(foldersOf(config, bus)[partition] ?? folderOf(config), log);
  const markets = partitionedStates({ bus, store, diskOf, log, onUnreadable });
  onStop('markets', () => markets.stop());
  health.degradable.set('markets on disk', () => markets.state());
  health.degradable.set('disk', async () => lowDiskSpaceFault(await diskSpaceOf(folderOf(config))));
  const tables = await projectCatalogue({ bus, clickhouse, store, log });
  onStop('tables', () => tables.stop());
  const figures = loadedFigures(clickhouse, log);
  const answers = answersOf(config);
  const events = eventCache(clickhouse, log);
  onStop('events', () => events.stop());
  const words = marketWords(clickhouse, log);
  onStop('words', () => words.stop());
  const changes = await catalogueChanges(bus, {
    onSeries: (subject, known) => series.put(subject, known),
    onMarket: (message) => markets.apply(message),
    onEvent: (row) => events.applyEvent(row),
    onWords: (some, market) => words.add(some, market),
    onReadable: (change) => {
      figures.changed(change);
      events.changed(change);
      if (change.all) words.read();
      answers.clear();
    },
    onUnreadable,
    log,
  });
  onStop('changes', () => changes.stop());
  // From here on, every recorded change is received. Reads that were in progress are invalidated as a change of
  // everything and run again.
  markets.read();
  events.read();
  words.read();
  const vocabulary = vocabularyOf(() => [words.sources.words.current(), events.words(), series.text.words]);
  const deps: CatalogDeps = {
    store,
    rpc: rpcClient(bus),
    markets,
    sources: { clickhouse, series, ...words.sources, vocabulary, events, figures },
    events,
    figures,
    answers,
    slots: serviceReadSlots(config, runtime),
    changes,
    changeLog: changeLog(bus),
    record: createFactRecorder({ store, series: series.states }),
  };
  const calls = await serveService(bus, 'catalog', catalogController(deps), log);
  onStop('calls', () => calls.stop());
};

/** Loads the figures so that the first query does not wait. A failure is logged, and the next query counts again. */
const loadedFigures = (clickhouse: ClickHouse, log: Runtime['log']): SeriesFigures => {
  const figures = seriesFigures(figuresStore(clickhouse), log);
  figures.current(unixMicros()).catch(() => undefined);
  return figures;
};

/** The words of all markets in memory: all together, and by series. */
const marketWords = (clickhouse: ClickHouse, log: Runtime['log']) => {
  const [all, bySeries] = [wordCache(clickhouse, log), seriesWords(clickhouse, log)];
  return {
    sources: { words: all, wordsBySeries: bySeries },
    add: (some: readonly string[], market: NamedMarket): void => {
      all.add(some);
      bySeries.add(market.series ?? '', [...some, ...marksOf(market)]);
    },
    read: (): void => {
      all.read();
      bySeries.read();
    },
    stop: (): void => {
      all.stop();
      bySeries.stop();
    },
  };
};

const answersOf = ({ CATALOG_ANSWERS_MB }: CatalogConfig): AnswerCache =>
  answerCache({ ttlMs: 1_000, bytesMax: CATALOG_ANSWERS_MB * 1_048_576 });

const folderOf = ({ CATALOG_FOLDER }: CatalogConfig): string => CATALOG_FOLDER ?? join(tmpdir(), 'almanac-catalog');

/** One for each partition of the stream. */
const foldersOf = (config: CatalogConfig, bus: Bus): string[] => {
  const names = serverStreams(bus, ['EVT_CATALOG']);
  return names.length === 1 ? [folderOf(config)] : names.map((name) => join(folderOf(config), name));
};

/** If the disk is unusable, answers are slower but the same. */
const statesOf = (folder: string, log: Runtime['log']): MarketStateFile | undefined => {
  try {
    return openMarketStateFile(folder);
  } catch (error) {
    log.error({ err: error, folder }, 'markets cannot be stored on disk; each one is read from the stream');
    return undefined;
  }
};
