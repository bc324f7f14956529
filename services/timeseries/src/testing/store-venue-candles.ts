import type { RpcClient } from '@almanac/bus';
import { timeseriesRpc, venueCandlePrices } from '@almanac/contracts';

type Price = (typeof venueCandlePrices)[number];

/** A venue candle. Prices that are not given are null. */
export interface GivenVenueCandle {
  readonly source?: string;
  readonly periodS: number;
  readonly startUs: number;
  readonly statedUs?: number;
  readonly prices?: { readonly [Name in Price]?: string | null };
  readonly volume?: string | null;
  readonly openInterest?: string | null;
}

const time = (us: number): string => `${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, '0')}`;

const lineOf = (ticker: string, candle: GivenVenueCandle): string => {
  const { source = 'kalshi', periodS, startUs, statedUs = startUs, prices = {}, volume, openInterest } = candle;
  const times = [startUs, startUs + periodS * 1_000_000, statedUs].map(time);
  const values = [...venueCandlePrices.map((name) => prices[name]), volume, openInterest];
  return [ticker, 'S', source, periodS, ...times, ...values.map((value) => value ?? '\\N')].join('\t');
};

/** Stores venue candles of one market, as the importer does. */
export const storeVenueCandles = async (
  importer: RpcClient,
  ticker: string,
  candles: readonly GivenVenueCandle[],
): Promise<void> => {
  const body = Buffer.from(candles.map((candle) => `${lineOf(ticker, candle)}\n`).join(''));
  const markets = [{ ticker, rows: candles.length, min_us: 0, max_us: 0 }];
  await importer.call(timeseriesRpc.store, {
    input: { columns: 'candles', markets },
    context: { requestId: 'test' },
    body,
  });
};
