import { createHash, randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type AdminBus, connectBus, consumeBatches, durables, ensureStream, patterns, subjects } from '@almanac/bus';
import { type ClickHouse, command, connectClickHouse, migrate } from '@almanac/clickhouse';
import { startClickHouse, startNats } from '@almanac/local-servers';
import { z } from 'zod';
import { unixMicros } from '@almanac/runtime';
import { eventDecider } from '../../../services/catalog/dist/event/event.decider.js';
import { marketDecider } from '../../../services/catalog/dist/market/market.decider.js';
import { rebuildCatalogue } from '../../../services/catalog/dist/rebuild/rebuild-catalogue.js';
import { seriesDecider } from '../../../services/catalog/dist/series/series.decider.js';
import { catalogueData, type CatalogueSize } from './catalogue-data.js';
import { isRunning, repository } from './home.js';
import { secondsSince } from './pairs.js';
import { type BenchSize, inWords } from './size.js';

export interface CatalogueOptions {
  readonly size: BenchSize;
  readonly print: (line: string) => void;
  /** Aborts the generation. */
  readonly signal: AbortSignal;
}

/**
 * Writes the generated catalogue (`catalogue-data.ts`) into the home folder of a system before its first start. The system
 * then has EVT_CATALOG with one event of each series, event and market, the tables merged to one part each, and no backlog.
 * It has no data versions of these markets, as before their first change, and no observations.
 *
 * The full catalogue is generated once, which takes minutes, and copied from `.almanac/bench/` by later runs. Its name
 * contains a hash of everything that it depends on. A small one is generated in place each time.
 */
export const restoreCatalogue = async (home: string, options: CatalogueOptions): Promise<void> => {
  const { catalogue } = options.size;
  const startedAt = performance.now();
  if (catalogue.isCached) {
    const cachedFolder = join(cacheFolder, await definitionHash(catalogue));
    if (!existsSync(cachedFolder)) await generateCached(cachedFolder, options);
    await cp(cachedFolder, home, { recursive: true, mode: constants.COPYFILE_FICLONE });
  } else await makeIn(home, options);
  options.print(
    `Catalogue  ${inWords(catalogue.marketsN)} markets made or copied in ${secondsSince(startedAt).toFixed(1)} s`,
  );
};

const cacheFolder = join(repository, '.almanac', 'bench');

/** The compiled definition that the cached catalogue depends on. */
const definition = [
  ...['catalogue-data.js', 'catalogue-kinds.js', 'catalogue-cache.js'].map((file) => `test/bench/dist/${file}`),
  ...['rows.js', 'search-words.js', 'event-figures.js', 'market-words.js'].map(
    (file) => `services/catalog/dist/tables/${file}`,
  ),
];
const migrations = 'libs/clickhouse/migrations';

const definitionHash = async (size: CatalogueSize): Promise<string> => {
  const hash = createHash('sha256').update(JSON.stringify(size));
  const schema = (await readdir(join(repository, migrations))).toSorted().map((name) => `${migrations}/${name}`);
  for (const path of [...definition, ...schema]) hash.update(path).update(await readFile(join(repository, path)));
  return `catalogue-${hash.digest('hex').slice(0, 16)}`;
};

/** Generates it in a temporary folder and moves that into place when it is complete. */
const generateCached = async (cachedFolder: string, options: CatalogueOptions): Promise<void> => {
  await mkdir(cacheFolder, { recursive: true });
  for (const name of await readdir(cacheFolder)) {
    if (name.startsWith('catalogue-') && !isBeingMade(name)) await rm(join(cacheFolder, name), { recursive: true });
  }
  const home = `${cachedFolder}.making-${process.pid}`;
  await mkdir(home);
  await makeIn(home, options);
  await rename(home, cachedFolder);
};

/** Whether a living process generates it: another bench that was started at the same time. */
const isBeingMade = (name: string): boolean => {
  const [, maker] = /\.making-(\d+)$/.exec(name) ?? [];
  return maker !== undefined && isRunning(maker);
};

const makeIn = async (home: string, options: CatalogueOptions): Promise<void> => {
  // Users belong to each start, not to the data: the system sets its own when it starts.
  const nats = await startNats({ dir: join(home, 'nats') });
  try {
    const admin = { user: 'admin', password: randomUUID() };
    const server = await startClickHouse({ dir: join(home, 'clickhouse'), users: [admin] });
    try {
      await fill({ ...options, natsUrl: nats.url, clickhouseUrl: server.url, password: admin.password });
    } finally {
      await server.stop();
    }
  } finally {
    await nats.stop();
  }
  // Named pipes cannot be copied, and each start creates its own.
  await rm(join(home, 'clickhouse', 'pipes'), { recursive: true, force: true });
};

interface Servers extends CatalogueOptions {
  readonly natsUrl: string;
  readonly clickhouseUrl: string;
  readonly password: string;
}

const fill = async (servers: Servers): Promise<void> => {
  const { natsUrl, clickhouseUrl: url, password, print, signal } = servers;
  const bus = await connectBus({ url: natsUrl, user: 'catalog' });
  const clickhouse = connectClickHouse({ url, username: 'admin', password, requestTimeoutMs: 1_800_000 });
  try {
    const startedAt = performance.now();
    const events = await append(bus, servers);
    print(`Catalogue  ${events.toLocaleString('en-US')} events appended in ${secondsSince(startedAt).toFixed(1)} s`);
    await migrate(clickhouse);
    const ignored = { onProgress: () => undefined, onUnreadable: rethrow };
    const { seconds } = await rebuildCatalogue({ bus, clickhouse, signal, ...ignored });
    print(`Catalogue  tables rebuilt in ${seconds.toFixed(1)} s`);
    await settle(clickhouse);
    for (const reader of readers) await beginAtEnd(bus, reader);
  } finally {
    await clickhouse.close();
    await bus.close();
  }
};

const inFlightMax = 2_000;

/** Appends the first event of each entity, as the service would, but without a check for an existing one. */
const append = async (bus: AdminBus, { size, signal }: CatalogueOptions): Promise<number> => {
  await ensureStream(bus, 'EVT_CATALOG');
  let appended = 0;
  let inFlight: Promise<unknown>[] = [];
  const publish = async <F extends { readonly type: string; readonly data: unknown }>(
    subject: string,
    fact: F,
    { evolve }: { evolve: (state: undefined, fact: F) => unknown },
  ): Promise<void> => {
    const state = evolve(undefined, fact);
    const event = { id: randomUUID(), version: 1, time: unixMicros(), account: null, ...fact, state };
    const expect = { streamName: 'EVT_CATALOG', lastSubjectSequence: 0 };
    inFlight.push(bus.js.publish(subject, JSON.stringify(event), { expect, timeout: 30_000 }));
    appended += 1;
    if (inFlight.length < inFlightMax) return;
    // Half of them stay in flight while the other half is awaited.
    await Promise.all(inFlight.slice(0, inFlightMax / 2));
    inFlight = inFlight.slice(inFlightMax / 2);
  };
  for (const { series, events } of catalogueData(size.catalogue)) {
    signal.throwIfAborted();
    const fact = { type: 'SeriesRecorded', data: eventDataOf(series) } as const;
    await publish(subjects.series(series.id), fact, seriesDecider);
    for (const { event, markets } of events) {
      const factFields = { type: 'EventRecorded', data: eventDataOf(event) } as const;
      await publish(subjects.event(event.event_ticker), factFields, eventDecider);
      for (const market of markets) {
        const data = eventDataOf(market);
        await publish(subjects.market(market.ticker), { type: 'MarketRecorded', data } as const, marketDecider);
      }
    }
  }
  await Promise.all(inFlight);
  return appended;
};

/** The data of an event is the fact without its `kind`. */
const eventDataOf = <F extends { readonly kind: string }>(fact: F): Omit<F, 'kind'> => {
  const { kind: _kind, ...factFields } = fact;
  return factFields;
};

/** Merges each table to one part: later merges during a run would slow one side. */
const settle = async (clickhouse: ClickHouse): Promise<void> => {
  for (const table of ['series', 'events', 'markets', 'event_figures', 'market_words']) {
    await command(clickhouse, { sql: `OPTIMIZE TABLE ${table} FINAL` });
  }
};

/** They would read the whole catalogue at the first start. The rebuild has done the work of the one, and no webhook exists. */
const readers = [
  { durable: durables.catalogReadModel },
  { durable: durables.webhookSettled, filter: patterns.allMarkets },
];

/** Creates a consumer as its service does, but without the events that are stored. */
const beginAtEnd = async (bus: AdminBus, reader: (typeof readers)[number]): Promise<void> => {
  const handle = async (): Promise<void> => undefined;
  const options = { stream: 'EVT_CATALOG', newOnly: true, state: z.unknown(), batchMax: 1_000, handle } as const;
  await (await consumeBatches<unknown>(bus, { ...options, ...reader, onFailure: rethrow })).stop();
};

const rethrow = (error: unknown): never => {
  throw error;
};
