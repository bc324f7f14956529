import { type GeneratedArchive, generateArchive } from '@almanac/operator';

/** The start of this run in Unix seconds. Every time below is relative to it. */
export const nowS = Math.floor(Date.now() / 1_000);

const dayS = 86_400;
const newestS = nowS - 3_600;
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(index).padStart(3, '0'));

/** Closing times of CF-DAYS' markets: days=n covers the first n + 1 of them. */
export const closes: readonly number[] = Array.from({ length: 8 }, (_, index) =>
  index === 0 ? newestS : newestS - (index - 0.5) * dayS,
);
export const outlierClose = newestS - 20 * dayS;

/** One more of each than the longest page has, so that a page shows its limit. */
export const sizes = { series: 201, markets: 401, events: 201, rows: 5_001 };

/** The first of CF-TICKS' rows, one each second. */
export const ticksStartS = newestS - 2 * dayS;

const many = numbered(sizes.series).map((number) => ({
  kind: 'series' as const,
  id: `CF-MANY-${number}`,
  label: `Many ${number}`,
  category: 'cf-many',
}));

const days = closes.map((closeS, index) => ({
  kind: 'market' as const,
  ticker: `CF-DAYS-${index}`,
  series: 'CF-DAYS',
  event_ticker: `CF-DAYS-E${index % 2}`,
  category: index < 6 ? 'cf-days' : 'cf-late',
  open_us: (closeS - dayS) * 1e6,
  close_us: closeS * 1e6,
  ...(index < 3 ? { result: 'yes' } : {}),
}));

const outlier = {
  kind: 'market' as const,
  ticker: 'CF-DAYS-STRAY',
  series: 'CF-ELSE',
  event_ticker: 'CF-ELSE-E',
  category: 'cf-else',
  close_us: outlierClose * 1e6,
};

const ladder = numbered(sizes.markets).map((number) => ({
  kind: 'market' as const,
  ticker: `CF-BIG-LADDER-${number}`,
  series: 'CF-BIG',
  event_ticker: 'CF-BIG-LADDER',
  category: 'cf-big',
  floor_strike: String(Number(number)),
  close_us: newestS * 1e6,
}));

/** Empty events after the ladder, which is the first of the series' events. */
const emptyEvents = numbered(sizes.events - 1).map((number) => ({
  kind: 'event' as const,
  event_ticker: `CF-BIG-${number}`,
  series: 'CF-BIG',
  category: 'cf-big',
}));

const ticks = {
  kind: 'market' as const,
  ticker: 'CF-TICKS-1',
  series: 'CF-TICKS',
  event_ticker: 'CF-TICKS-E',
  category: 'cf-ticks',
  venue: 'cf-venue',
  capture: 'l2' as const,
  result: 'yes',
  open_us: ticksStartS * 1e6,
  close_us: (ticksStartS + sizes.rows) * 1e6,
  history: [
    {
      known_us: ticksStartS * 1e6,
      basis: 'venue' as const,
      values: { open_us: String(ticksStartS * 1e6), close_us: String((ticksStartS + sizes.rows) * 1e6) },
    },
  ],
};

const facts: GeneratedArchive['facts'] = [
  ...many,
  { kind: 'series', id: 'CF-DAYS', label: 'Days', category: 'cf-days' },
  { kind: 'series', id: 'CF-ELSE', label: 'Else', category: 'cf-else' },
  { kind: 'series', id: 'CF-BIG', label: 'Big', category: 'cf-big' },
  { kind: 'series', id: 'CF-TICKS', label: 'Ticks', category: 'cf-ticks' },
  { kind: 'series', id: 'CF-BARE', label: 'Without markets', category: 'cf-ticks' },
  ...days,
  outlier,
  ...ladder,
  ...emptyEvents,
  ticks,
];

function* rows(): GeneratedArchive['rows'] & Generator {
  for (let index = 0; index < sizes.rows; index += 1) {
    const second = ticksStartS + index;
    yield {
      ticker: ticks.ticker,
      series: ticks.series,
      second,
      bidCents: 40,
      askCents: 42,
      coinPrice: 1.5,
      sizes: [1, 2],
    };
  }
}

/** The data for the bounds, beside the archive that `npm start` generates. */
export const archives: readonly GeneratedArchive[] = [generateArchive(nowS), { facts, rows: rows(), tradesEveryS: 1 }];

/** The total number of series. */
export const seriesN = archives.flatMap((archive) => archive.facts).filter(({ kind }) => kind === 'series').length;
