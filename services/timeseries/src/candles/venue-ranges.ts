import type { ReadCaller } from '@almanac/runtime';
import { z } from 'zod';
import type { MarketContext } from '../market-context.js';
import type { ArchiveRows } from '../rows/archive-rows.js';
import { ofTickers, storedVenueCandles } from '../stored-rows.js';
import { valuesByVersion } from '../values-by-version.js';

/** What is stored of a venue's candles of one period of a market. */
export interface VenueRange {
  readonly source: string;
  readonly periodS: number;
  readonly candles: number;
  /** The start of the first, and the ends of the first and the last. */
  readonly startUs: number;
  readonly firstEndUs: number;
  readonly endUs: number;
  /** Whether the periods count from the epoch. The days of a venue begin at midnight in its own zone. */
  readonly isAligned: boolean;
}

/** The ranges of each market, in the order of the markets. About the past, those of candles that had ended. */
export type VenueRanges = (
  markets: readonly MarketContext[],
  caller: ReadCaller,
) => Promise<readonly (readonly VenueRange[])[]>;

/** All cached ranges, about 150 bytes each. */
const cachedMax = 200_000;

/** Params: tickers, known_us. */
const rangesSql = `SELECT ticker, source, period_s, count() AS candles, toUnixTimestamp64Micro(min(start_ts)) AS start_us,
  toUnixTimestamp64Micro(min(end_ts)) AS first_end_us, toUnixTimestamp64Micro(max(end_ts)) AS end_us,
  min(modulo(toUnixTimestamp64Micro(end_ts), period_s * 1000000) = 0) AS is_aligned
FROM ${storedVenueCandles} WHERE ${ofTickers} AND end_ts <= fromUnixTimestamp64Micro({known_us:Int64})
GROUP BY ticker, source, period_s ORDER BY ticker, period_s, source
SETTINGS max_threads = 1, output_format_json_quote_64bit_integers = 0`;

const storedRange = z.object({
  ticker: z.string(),
  source: z.string(),
  period_s: z.int(),
  candles: z.int(),
  start_us: z.int(),
  first_end_us: z.int(),
  end_us: z.int(),
  is_aligned: z.int(),
});

/** Later than the end of every candle. */
export const everKnownUs = 4_102_444_800_000_000;

export const venueRanges = (rows: Pick<ArchiveRows, 'parsed'>): VenueRanges => {
  const rangesOf = async (
    tickers: readonly string[],
    knownUs: number,
    caller: ReadCaller,
  ): Promise<ReadonlyMap<string, readonly VenueRange[]>> => {
    const read = await rows.parsed({ sql: rangesSql, params: { tickers, known_us: knownUs } }, storedRange, caller);
    const grouped = Map.groupBy(read, ({ ticker }) => ticker);
    return new Map(Array.from(grouped, ([ticker, found]) => [ticker, found.map(rangeOf)]));
  };
  const stored = valuesByVersion<readonly VenueRange[]>({
    maxSize: cachedMax,
    sizeOf: (ranges) => ranges.length + 1,
    empty: [],
    load: (tickers, caller) => rangesOf(tickers, everKnownUs, caller),
  });
  return async (markets, caller) => {
    const all = await stored(markets, caller);
    const asOfUs = markets[0]?.asOfUs ?? null;
    if (asOfUs === null) return all;
    const isCut = (ranges: readonly VenueRange[]): boolean =>
      ranges.some(({ firstEndUs, endUs }) => firstEndUs <= asOfUs && endUs > asOfUs);
    const cut = markets.filter((_, at) => isCut(all[at] ?? []));
    const tickers = cut.map(({ state }) => state.ticker);
    const known = tickers.length === 0 ? undefined : await rangesOf(tickers, asOfUs, caller);
    return all.map((ranges, at) =>
      isCut(ranges)
        ? (known?.get(markets[at]?.state.ticker ?? '') ?? [])
        : ranges.filter(({ firstEndUs }) => firstEndUs <= asOfUs),
    );
  };
};

const rangeOf = (found: z.output<typeof storedRange>): VenueRange => ({
  source: found.source,
  periodS: found.period_s,
  candles: found.candles,
  startUs: found.start_us,
  firstEndUs: found.first_end_us,
  endUs: found.end_us,
  isAligned: found.is_aligned === 1,
});

/** A market without data of its own has the bounds of its venue candles. */
export const withVenueTimes = (market: MarketContext, ranges: readonly VenueRange[]): MarketContext => {
  const { minUs, times } = market;
  if (minUs !== null || times.lastUs !== null || ranges.length === 0) return market;
  return {
    ...market,
    minUs: Math.min(...ranges.map(({ startUs }) => startUs)),
    times: { ...times, lastUs: Math.max(...ranges.map(({ endUs }) => endUs)) - 1 },
  };
};

/** The same for a market of which nothing else has a time, such as its close. Otherwise the market as it is, without a query. */
export const withVenueTimesOnly = async (
  rangesOf: VenueRanges,
  market: MarketContext,
  caller: ReadCaller,
): Promise<MarketContext> => {
  const { openUs, closeUs, lastUs } = market.times;
  if (market.version === 0 || [openUs, closeUs, lastUs].some((us) => us !== null)) return market;
  const [ranges = []] = await rangesOf([market], caller);
  return withVenueTimes(market, ranges);
};
