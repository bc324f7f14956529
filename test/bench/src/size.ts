import type { CatalogueSize } from './catalogue-data.js';
import type { Shape } from './data.js';
import { homeInCheckout, temporaryHome } from './home.js';

/** How much data a run makes and how long it measures: every number that `--smoke` makes smaller. */
export interface BenchSize {
  /** Only a measurement says which ratios are short, fails because of one, and writes results.json. */
  readonly isMeasurement: boolean;
  /** Makes the folder of the run's system. */
  readonly makeHome: () => Promise<string>;
  /** `isCached`: it is made once, and the next run copies it. */
  readonly catalogue: CatalogueSize & { readonly isCached: boolean };
  /** So many markets, at least, are listed of one series; more are on further pages. */
  readonly listedMarketsN: number;
  /** What snapshots, previews and small requests read. */
  readonly archive: Shape;
  readonly http: HttpSize;
  /** Market details: one in `every` of the markets; `knownN` of them in the row about markets that come again. */
  readonly details: { readonly every: number; readonly knownN: number };
  /** Requests that come once: `warmN` before the clock starts, `measuredN` at most after it. */
  readonly firstAsks: { readonly warmN: number; readonly measuredN: number };
  readonly imports: { readonly pairs: number; readonly linesN: number };
  /** A recording of order books: `changesN` changes a turn, in `turns` turns; `manyTurns` in the row about memory. */
  readonly books: {
    readonly pairs: number;
    readonly changesN: number;
    readonly turns: number;
    readonly manyTurns: number;
  };
  readonly scaling: ScalingSize;
  readonly exports: ExportsSize;
}

export interface HttpSize {
  readonly pairs: number;
  /** Of the slower side's run. */
  readonly runSeconds: number;
  /** How long each side is warmed up. */
  readonly warmSeconds: number;
  /** Requests in the first run of the warm-up, which shows how fast the side is. */
  readonly firstCount: number;
}

export interface ScalingSize {
  /** Clients for each process. */
  readonly clientsEach: number;
  readonly warmMs: number;
  readonly windows: number;
  readonly windowMs: number;
  /** More than this, as a ratio to the theory, cannot be: the processes would have more reads at once than they may. */
  readonly ratioMost: number;
}

export interface ExportsSize {
  /** Event by event a large file; all of it is one day of the series, ten times as large. */
  readonly large: Shape;
  readonly warmPairs: number;
  readonly pairs: number;
  /** Each market is a small file. */
  readonly small: Shape;
  /** Of the small files, each in another format. */
  readonly queues: number;
}

/** 2026-03-01 12:00 UTC: all in one month, and over. */
const archive = { series: 'BENCH', start: 'BENCH-26MAR01', openS: 1_772_366_400 };
/** 2026-03-02 01:00 UTC, so that all of it is within a day. */
const large = { series: 'BENCHX', start: 'BENCHX-26MAR02', openS: 1_772_413_200 };
const small = { series: 'BENCHQ', start: 'BENCHQ-26MAR03', openS: 1_772_503_200, marketsAnEvent: 1 };

export const full: BenchSize = {
  isMeasurement: true,
  makeHome: temporaryHome,
  catalogue: { isCached: true, seriesN: 300, eventsN: 20_000, marketsN: 2_000_000, oneEventOf: 1, oneMarketOf: 1 },
  listedMarketsN: 50,
  archive: { ...archive, marketsN: 2_000, secondsN: 3_600, marketsAnEvent: 50 },
  http: {
    // Many short runs rather than few long ones: what disturbs the machine then disturbs few of them.
    pairs: 9,
    runSeconds: 0.6,
    // Until its code is compiled: of the first 400 snapshots each took 16.4 ms of CPU in all processes, of the sixth
    // 400 13.6 (the bare pipe's 13.0 to 13.5 all the time).
    warmSeconds: 4,
    firstCount: 200,
  },
  // 30,000 are few enough for the pages of the file that they are on to be in the processor's reach.
  details: { every: 40, knownN: 30_000 },
  firstAsks: { warmN: 60, measuredN: 440 },
  imports: { pairs: 5, linesN: 50_000 },
  books: { pairs: 3, changesN: 60_000, turns: 5, manyTurns: 50 },
  scaling: {
    // The server gives a question to any process, so some have a long queue while others have a short one; with so
    // many clients none runs dry, and none waits longer than its deadline.
    clientsEach: 80,
    warmMs: 2_000,
    windows: 3,
    windowMs: 3_000,
    ratioMost: 1.15,
  },
  exports: {
    large: { ...large, marketsN: 1_000, secondsN: 10_000, marketsAnEvent: 100 },
    // Of a service that just started the first Parquet took 1.01 s, the next ones 0.76.
    warmPairs: 2,
    pairs: 7,
    small: { ...small, marketsN: 1_000, secondsN: 900 },
    queues: 3,
  },
};

/** Every row works on it as on the full size, in seconds each; its figures mean nothing. */
export const smoke: BenchSize = {
  isMeasurement: false,
  makeHome: homeInCheckout,
  catalogue: { isCached: false, seriesN: 300, eventsN: 775, marketsN: 5_975, oneEventOf: 40, oneMarketOf: 15 },
  listedMarketsN: 20,
  archive: { ...archive, marketsN: 20, secondsN: 1_200, marketsAnEvent: 5 },
  http: { pairs: 1, runSeconds: 0.1, warmSeconds: 0.1, firstCount: 50 },
  details: { every: 1, knownN: 500 },
  firstAsks: { warmN: 4, measuredN: 44 },
  imports: { pairs: 1, linesN: 500 },
  books: { pairs: 1, changesN: 1_000, turns: 2, manyTurns: 4 },
  // In a window so short, and on a machine that stands still for a moment, a few answers more change the ratio much.
  scaling: { clientsEach: 20, warmMs: 500, windows: 1, windowMs: 2_000, ratioMost: 2 },
  exports: {
    large: { ...large, marketsN: 20, secondsN: 500, marketsAnEvent: 2 },
    warmPairs: 0,
    pairs: 1,
    small: { ...small, marketsN: 20, secondsN: 60 },
    queues: 1,
  },
};

/** As the names of rows say it: `5,975`, `a million`, `10 million`. */
export const inWords = (count: number, million = 'million'): string =>
  count < 1e6 ? count.toLocaleString('en') : `${count === 1e6 ? 'a' : count / 1e6} ${million}`;
