import { homeInCheckout, temporaryHome } from './home.js';

/** 2026-03-01 12:00 UTC: all in one month, and in the past. */
const archive = { series: 'BENCH', start: 'BENCH-26MAR01', openS: 1_772_366_400 };
/** 2026-03-02 01:00 UTC, so that all of it is within a day. */
const large = { series: 'BENCHX', start: 'BENCHX-26MAR02', openS: 1_772_413_200 };
const small = { series: 'BENCHQ', start: 'BENCHQ-26MAR03', openS: 1_772_503_200, marketsAnEvent: 1 };
/** 2026-03-05 00:00 UTC: 150,000 seconds are 41 hours. */
const bulk = { series: 'BENCHB', start: 'BENCHB-26MAR05', openS: 1_772_668_800, marketsAnEvent: 1 };
const event = { series: 'BENCHE', start: 'BENCHE-26MAR08', openS: 1_772_928_000 };
const growth = { series: 'BENCHG', start: 'BENCHG-26MAR10', openS: 1_773_100_800 };
const unread = { series: 'BENCHU', start: 'BENCHU-26MAR12', openS: 1_773_273_600, marketsAnEvent: 50 };
/** 2026-03-14 00:00 UTC: a million seconds are 11 days. */
const opened = { series: 'BENCHC', start: 'BENCHC-26MAR14', openS: 1_773_446_400, marketsAnEvent: 1 };
/** These markets settle during the run, all at once. They open two hours before it. */
const settled = { series: 'BENCHS', start: 'BENCHS-SETTLED', marketsAnEvent: 50 };

const catalogue = { seriesN: 300, eventsN: 20_000, marketsN: 2_000_000, oneEventOf: 1, oneMarketOf: 1, timesEvents: 1 };
const smallCatalogue = { seriesN: 300, eventsN: 775, marketsN: 5_975, oneEventOf: 40, oneMarketOf: 15, timesEvents: 1 };

export const full = {
  /** Only a measurement reports missed ratios, fails because of one, and writes docs/performance.md. */
  isMeasurement: true,
  /** Creates the home folder of the run's system. */
  makeHome: temporaryHome,
  /** `isCached`: the catalogue is generated once, and the next run copies it. */
  catalogue: { ...catalogue, isCached: true },
  /** For the profile of its growth. 20 GB of disk, so it is not kept. */
  grownCatalogue: { ...catalogue, isCached: false, eventsN: 100_000, marketsN: 10_000_000, timesEvents: 5 },
  /** The minimum number of listed markets of one series. More are on further pages. */
  listedMarketsN: 50,
  /** The data for snapshots, previews and small requests. */
  archive: { ...archive, marketsN: 2_000, secondsN: 3_600, marketsAnEvent: 50 },
  http: {
    // Many short runs instead of few long ones: a disturbance of the machine then affects few of them.
    pairs: 9,
    /** The duration of the slower side's run. */
    runSeconds: 0.6,
    // The warm-up compiles the code: the first 400 snapshots took 16.4 ms of CPU each in all processes, the sixth 400
    // took 13.6 (the bare server's 13.0 to 13.5 all the time).
    warmSeconds: 4,
    /** Requests in the first warm-up run, which shows the speed of the side. */
    firstCount: 200,
  },
  /**
   * One in `every` of the markets, and `knownN` of them where markets repeat. 30,000 would be few enough that the file
   * pages with them stay in the processor's cache.
   */
  details: { every: 40, knownN: 2_000 },
  /** Requests that are sent once: `warmN` before the clock starts, at most `measuredN` after it. */
  /** Multiples of two million markets in tables without a system, searches, and reads of each other kind. */
  tables: { ofEvents: [1, 5] as readonly [number, number], searchesN: 220, each: 30 },
  firstAsks: { warmN: 60, measuredN: 440 },
  imports: {
    pairs: 3,
    rowsN: 10_000_000,
    framesN: 3_000_000,
    hourRowsN: 10_000_000,
    sampledPerS: 300_000,
    everyPerS: 60_000,
    hourSeconds: 60,
  },
  /** Changes of order books: so many in each turn. `manyTurns` is for the row about memory. */
  books: { pairs: 3, changesN: 60_000, turns: 5, manyTurns: 50 },
  // The server gives a request to any process, so their queues differ in length. With this many clients for each process
  // none is empty, and no request waits longer than its deadline. The processes would run more reads than their limit
  // if the ratio were above `ratioMost`.
  scaling: { clientsEach: 80, warmMs: 2_000, windows: 3, windowMs: 3_000, ratioMost: 1.15 },
  /** Events of each stream before a start, and 100 times as many. */
  starts: { eventsN: 10_000, runs: 3 },
  webhooks: { eventsN: 10_000 },
  exports: {
    /** Each event is a large file. All of it is one day of the series, ten times as large. */
    large: { ...large, marketsN: 1_000, secondsN: 10_000, marketsAnEvent: 100 },
    // In a new service the first Parquet file took 1.01 s, the next ones 0.76.
    warmPairs: 2,
    pairs: 7,
    /** Each market is a small file. */
    small: { ...small, marketsN: 1_000, secondsN: 900 },
    /** The number of small-file queues, each in another format. */
    queues: 3,
  },
  /** Bulk reads of one market each: the shape has a market for each pair. */
  bulk: { shape: { ...bulk, marketsN: 9, secondsN: 150_000 }, warmPairs: 2, pairs: 7 },
  /** Windows that each side reads for the comparison with DuckDB. */
  duckdbWindowsN: 200,
  slabs: {
    /** Markets that no other row reads, one for each request. */
    unread: { ...unread, marketsN: 6_000, secondsN: 1_200 },
    settled: { ...settled, marketsN: 2_000, secondsN: 3_600 },
    /** First windows: `warmN` before the clock starts, then `runN` in each pair. */
    warmN: 500,
    runN: 300,
    pairs: 5,
  },
  /** One event with all markets of the shape. */
  event: { ...event, marketsN: 100, secondsN: 3_600, marketsAnEvent: 100 },
  python: { rowsN: 100_000 },
  /** The console opens two markets for each pair and two more, and draws `points` while the chart moves. */
  console: { shape: { ...opened, marketsN: 12, secondsN: 1_000_000 }, pairs: 5, points: 100_000, panSeconds: 3 },
  /** An archive of 7.2, 72 and 720 million rows: it has so many markets each time. An event has a million rows. */
  growth: {
    shape: { ...growth, marketsN: 200_000, secondsN: 3_600, marketsAnEvent: 280 },
    sizes: [2_000, 20_000, 200_000],
  },
};

/** The amount of data and the duration of a run: every number that `--smoke` reduces. */
export type BenchSize = Readonly<typeof full>;

/** Everything runs as in the full size, in seconds each. The figures mean nothing. */
export const smoke: BenchSize = {
  isMeasurement: false,
  makeHome: homeInCheckout,
  catalogue: { ...smallCatalogue, isCached: false },
  grownCatalogue: { ...smallCatalogue, isCached: false, eventsN: 1_550, marketsN: 11_950, timesEvents: 2 },
  listedMarketsN: 20,
  archive: { ...archive, marketsN: 20, secondsN: 1_200, marketsAnEvent: 5 },
  http: { pairs: 1, runSeconds: 0.1, warmSeconds: 0.1, firstCount: 50 },
  details: { every: 1, knownN: 500 },
  tables: { ofEvents: [0.01, 0.02], searchesN: 22, each: 2 },
  firstAsks: { warmN: 4, measuredN: 44 },
  imports: { ...full.imports, pairs: 1, rowsN: 2_000, framesN: 3_000, hourRowsN: 14_000 },
  books: { pairs: 1, changesN: 1_000, turns: 2, manyTurns: 4 },
  // In a short window, or after a pause of the machine, a few more answers change the ratio much.
  scaling: { clientsEach: 20, warmMs: 500, windows: 1, windowMs: 2_000, ratioMost: 2 },
  starts: { eventsN: 200, runs: 1 },
  webhooks: { eventsN: 200 },
  exports: {
    large: { ...large, marketsN: 20, secondsN: 500, marketsAnEvent: 2 },
    warmPairs: 0,
    pairs: 1,
    small: { ...small, marketsN: 20, secondsN: 60 },
    queues: 1,
  },
  bulk: { shape: { ...bulk, marketsN: 2, secondsN: 1_000 }, warmPairs: 0, pairs: 1 },
  duckdbWindowsN: 5,
  slabs: {
    unread: { ...unread, marketsN: 200, secondsN: 60 },
    settled: { ...settled, marketsN: 20, secondsN: 60 },
    warmN: 8,
    runN: 12,
    pairs: 1,
  },
  event: { ...event, marketsN: 10, secondsN: 1_200, marketsAnEvent: 10 },
  python: { rowsN: 2_000 },
  console: { shape: { ...opened, marketsN: 4, secondsN: 2_000 }, pairs: 1, points: 5_000, panSeconds: 0.3 },
  growth: {
    shape: { ...growth, marketsN: 20, secondsN: 1_200, marketsAnEvent: 5 },
    sizes: [5, 10, 20],
  },
};

/** A number as row names write it: `5,975`, `a million`, `10 million`. */
export const inWords = (count: number, million = 'million'): string =>
  count < 1e6 ? count.toLocaleString('en') : `${count === 1e6 ? 'a' : count / 1e6} ${million}`;
