import { storeArchive, storeGeneratedArchive } from '@almanac/operator';
import type { ConsoleHarness } from './console.js';
import { arabic, importOddMarkets, markup } from './odd-markets.js';

const nowS = Math.floor(Date.now() / 1_000);
const series = (id: string) => ({ kind: 'series' as const, id });

/** Of 500 characters. */
const long = 'W'.repeat(250) + ' words'.repeat(42).slice(0, 250);
/** Titles that are hostile or unusual, each of a market whose ticker has markup and an escape, and which has no data. */
export const oddTitles = { markup, arabic, long } as const;
export const oddEvent = 'KXODD-26-<B>E</B>';
export const oddTicker = (name: keyof typeof oddTitles): string => `KXODD-26-<B>%41${name}</B>`;

/** An event with many markets, and one with a market that has one price. */
export const wideN = 1_000;
export const wideTicker = (at: number): string => `WIDE-E-${String(at).padStart(4, '0')}`;
const openS = 1_771_990_000;
const closed = { open_us: openS * 1e6, close_us: (openS + 900) * 1e6, result: 'yes', capture: 'top' as const };
const priceAt = (ticker: string, ofSeries: string, second: number) => ({
  ticker,
  series: ofSeries,
  second,
  bidCents: 40,
  askCents: 44,
  coinPrice: null,
  sizes: null,
});

const closedArchive = {
  facts: [
    series('ONE'),
    { kind: 'market' as const, ticker: 'ONE-E-M', event_ticker: 'ONE-E', series: 'ONE', ...closed },
    series('WIDE'),
    ...Array.from({ length: wideN }, (_, at) => ({
      kind: 'market' as const,
      ticker: wideTicker(at),
      event_ticker: 'WIDE-E',
      series: 'WIDE',
      title: `Between ${at} and ${at + 1}?`,
      floor_strike: String(at),
      strike_type: 'greater',
      ...closed,
    })),
  ],
  rows: [
    priceAt('ONE-E-M', 'ONE', openS + 300),
    ...Array.from({ length: wideN * 3 }, (_, at) =>
      priceAt(wideTicker(Math.floor(at / 3)), 'WIDE', openS + (at % 3) * 300),
    ),
  ],
};

/** A market with books that opened an hour ago, and closes in a day. */
export const liveTicker = 'LIVE-E-M';
const live = { open_us: (nowS - 3_600) * 1e6, close_us: (nowS + 86_400) * 1e6, capture: 'l2' as const };
const liveArchive = {
  facts: [
    series('LIVE'),
    { kind: 'market' as const, ticker: liveTicker, event_ticker: 'LIVE-E', series: 'LIVE', ...live },
  ],
  rows: Array.from({ length: 30 }, (_, at) => ({
    ...priceAt(liveTicker, 'LIVE', nowS - 3_600 + at * 60),
    sizes: [10, 20, 30, 40, 50, 10, 20, 30, 40, 50],
  })),
};

/** What all tests of the console read. */
export const storeConsoleArchive = async ({ running }: ConsoleHarness): Promise<void> => {
  await storeGeneratedArchive(running.system, nowS);
  await storeArchive(running.system, closedArchive);
  await storeArchive(running.system, liveArchive);
  const names = Object.keys(oddTitles) as (keyof typeof oddTitles)[];
  const markets = names.map((name) => ({ ticker: oddTicker(name), event_ticker: oddEvent, title: oddTitles[name] }));
  await importOddMarkets({ running }, markets);
};
