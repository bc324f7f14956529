import { join } from 'node:path';
import { connectClickHouse, migrate } from '@almanac/clickhouse';
import { catalogRpc } from '@almanac/contracts';
import { startClickHouse } from '@almanac/local-servers';
import { unixMicros } from '@almanac/runtime';
import { eventDetail } from '../../../services/catalog/dist/event/event-detail.query.js';
import { listMarkets, presentMarkets } from '../../../services/catalog/dist/market/list-markets.query.js';
import { search } from '../../../services/catalog/dist/search/search.query.js';
import { seriesDetail } from '../../../services/catalog/dist/series/series-detail.query.js';
import { catalogueSources, type CatalogueSources } from './catalogue-sources.js';
import { fillCatalogueTables } from './catalogue-tables.js';
import { countedClickHouse } from './counted-clickhouse.js';
import { quantile } from './pairs.js';
import { knownIds } from './query-sets.js';
import type { BenchEntry, BenchFolder, Measured } from './row.js';
import { type KnownIds, searchesOf } from './searches.js';
import { type BenchSize, inWords } from './size.js';

interface Read {
  readonly kind: string;
  readonly run: () => Promise<unknown>;
}

const readMsMax = 60_000;
const contextNow = () => ({ nowUs: unixMicros(), signal: AbortSignal.timeout(readMsMax) });
const categories = 'crypto climate-and-weather financials economics sports elections mentions entertainment'.split(' ');
const statuses = ['live', 'closed', 'finalized'];
const pagesRead = 50;

const searchReads = (sources: CatalogueSources, ids: KnownIds, count: number): Read[] =>
  searchesOf(ids, count).map(({ kind, params }) => {
    const numbers = ['from_ts', 'to_ts', 'offset'].flatMap((name) =>
      params[name] === undefined ? [] : [[name, Number(params[name])] as const],
    );
    const input = catalogRpc.search.input.parse({ ...params, ...Object.fromEntries(numbers) });
    return { kind: `search: ${kind}`, run: () => search(sources, input, contextNow()) };
  });

const listPage = async (sources: CatalogueSources, filters: object): Promise<string | null> => {
  const input = catalogRpc.listMarkets.input.parse(filters);
  return (await listMarkets(presentMarkets(sources, contextNow()), input)).next_cursor;
};

const listReads = (sources: CatalogueSources, { series, events }: KnownIds, each: number): Read[] => {
  const read = (kind: string, filters: object): Read => ({
    kind: `list: ${kind}`,
    run: () => listPage(sources, filters),
  });
  return [
    ...series.slice(0, each).map((id) => read('of a series', { series: id })),
    ...series.slice(0, each).map((id, n) => read('of a series and a status', { series: id, status: statuses[n % 3] })),
    ...events.slice(0, each).map((id) => read('of an event', { event: id })),
    ...categories.flatMap((category) =>
      statuses.map((status) => read('of a category and a status', { category, status })),
    ),
    ...events
      .slice(0, each)
      .map((id, n) => read('of words and a time', { q: id.slice(2, 5), to_ts: 1_735_000_000 + n * 1e6 })),
    ...['', ...statuses].map((status) => read('of everything', { status })),
  ];
};

const detailReads = (sources: CatalogueSources, { series, events }: KnownIds, each: number): Read[] => {
  const ofEvent = (id: string) =>
    eventDetail(sources, catalogRpc.eventDetail.input.parse({ event_id: id }), contextNow());
  const ofSeries = (id: string) =>
    seriesDetail(sources, catalogRpc.seriesDetail.input.parse({ series_id: id }), contextNow());
  return [
    ...events.slice(-each).map((id) => ({ kind: 'an event', run: () => ofEvent(id) })),
    ...series.slice(-each).map((id) => ({ kind: 'a series', run: () => ofSeries(id) })),
  ];
};

/** Each page of a list, so the last ones are far behind the first. */
const pageReads = (sources: CatalogueSources): Read[] =>
  [{ category: 'sports', from_ts: 0 }, { q: 'bitcoin price' }].flatMap((filters) => {
    let cursor: string | null = null;
    const run = async (): Promise<void> => {
      cursor = await listPage(sources, { ...filters, cursor });
    };
    return Array.from({ length: pagesRead }, () => ({ kind: `pages: ${Object.keys(filters).join(', ')}`, run }));
  });

/** Milliseconds and rows read, of each read of a kind. */
type Figures = Map<string, { readonly ms: number[]; readonly rows: number[] }>;

export const figuresAt = async (
  { home, size }: Pick<BenchFolder, 'home' | 'size'>,
  ofEvents: number,
): Promise<Figures> => {
  const user = { user: 'admin', password: 'bench' };
  const server = await startClickHouse({ dir: join(home, `tables-${ofEvents}`), users: [user] });
  const own = connectClickHouse({
    url: server.url,
    username: user.user,
    password: user.password,
    requestTimeoutMs: 1_800_000,
  });
  try {
    await migrate(own);
    await fillCatalogueTables(own, ofEvents);
    const { clickhouse, rowsRead } = countedClickHouse(own);
    const sources = await catalogueSources(clickhouse);
    const ids = await knownIds(own, 2_000_000 * ofEvents);
    const { searchesN, each } = size.tables;
    const figures: Figures = new Map();
    for (const { kind, run } of [
      ...searchReads(sources, ids, searchesN),
      ...listReads(sources, ids, each),
      ...detailReads(sources, ids, each),
      ...pageReads(sources),
    ]) {
      await rowsRead.take();
      const startedAt = performance.now();
      await run();
      const found = figures.get(kind) ?? { ms: [], rows: [] };
      figures.set(kind, found);
      found.ms.push(performance.now() - startedAt);
      found.rows.push(await rowsRead.take());
    }
    return figures;
  } finally {
    await own.close();
    await server.stop();
  }
};

const searchesIn = (figures: Figures): number[] =>
  [...figures].flatMap(([kind, { ms }]) => (kind.startsWith('search') ? ms : []));

const measure = async (folder: BenchFolder): Promise<Measured> => {
  const [smaller, larger] = folder.size.tables.ofEvents;
  const before = await figuresAt(folder, smaller);
  const after = await figuresAt(folder, larger);
  const notes = [...after].map(([kind, { ms, rows }]) => {
    const then = before.get(kind) ?? { ms: [], rows: [] };
    const shown = [50, 95].map((percent) => {
      const at = (list: readonly number[]): string =>
        quantile(list, percent / 100)
          .toFixed(0)
          .padStart(7);
      return `p${percent} ${at(then.ms)} ${at(ms)} ms ${at(then.rows)} ${at(rows)} rows`;
    });
    return `  ${kind.padEnd(38)} ${shown.join('   ')}`;
  });
  const [reference, ours] = [before, after].map((figures) => quantile(searchesIn(figures), 0.95));
  return {
    ours: ours ?? NaN,
    reference: reference ?? NaN,
    ratio: (ours ?? NaN) / (reference ?? NaN),
    notes: ['', ...notes],
  };
};

/** Reads of the queries themselves, without a gateway and NATS. The rows that the engine reads do not vary with the machine. */
export const catalogueTablesRows = ({ tables: { ofEvents } }: BenchSize): readonly BenchEntry[] => {
  const [smaller, larger] = ofEvents.map((times) => inWords(2_000_000 * times, 'M'));
  return [
    {
      isAlone: true,
      name: `tables of the catalogue at ${larger} markets`,
      shows: 'Which reads of the catalogue grow with it, in milliseconds and in rows that the engine reads.',
      against: `searches at ${smaller} markets, p95`,
      threshold: null,
      unit: 'ms',
      measure,
    },
  ];
};
