import type { RpcClient } from '@almanac/bus';
import { openUs, type RandomMarket } from '../../testing/random-market.js';
import { type GivenTrade, storeTrades } from '../../testing/store-trades.js';
import type { TradedMarket } from './candle-model.js';
import { pick, type Random } from '../../testing/random.js';

/** A trade after the merge of its sources. Price and size are in millionths. */
export interface MergedTrade {
  readonly us: number;
  readonly id: string;
  readonly price: bigint;
  readonly size: bigint;
}

const second = 1_000_000;
const textOf = (millionths: number): string => (millionths / 1e6).toFixed(6);

interface RandomTrade {
  readonly merged: MergedTrade;
  /** The trade as one or two sources have it. */
  readonly sources: readonly GivenTrade[];
}

/** At the borders of periods, many at one time, before the first observation and after the close, of any size. */
const randomTrade = (random: Random, index: number): RandomTrade => {
  const us = openUs + pick(random, -90 * second, 690 * second);
  const venueUs = random() < 0.5 ? Math.floor(us / (15 * second)) * 15 * second : us;
  const price = pick(random, 1, 1_000_000);
  const size = random() < 0.5 ? pick(random, 1, 500) * 1_000_000 : pick(random, 1, 9_000_000_000_000);
  const id = `${pick(random, 0, 1_000_000)}-${index}`;
  const dump: GivenTrade = { id, venueUs, price: textOf(price), size: textOf(size) };
  const receivedUs = venueUs + pick(random, 0, second);
  const live = { ...dump, receivedUs };
  const late = { ...dump, receivedUs: receivedUs + pick(random, 1, 60 * second) };
  const isDumpOnly = random() < 0.5;
  const merged = { us: isDumpOnly ? venueUs : receivedUs, id, price: BigInt(price), size: BigInt(size) };
  const sources = isDumpOnly ? [dump] : random() < 0.5 ? [late, live] : [dump, live, dump];
  return { merged, sources };
};

const byTimeAndId = (a: MergedTrade, b: MergedTrade): number => a.us - b.us || (a.id < b.id ? -1 : 1);

/** Stores random trades of a market in two batches, of which both may have a trade. */
export const withRandomTrades = async (
  importer: RpcClient,
  market: RandomMarket,
  random: Random,
): Promise<TradedMarket> => {
  const count = random() < 0.2 ? 0 : pick(random, 1, 80);
  const trades = Array.from({ length: count }, (_, index) => randomTrade(random, index));
  const sources = trades
    .flatMap((trade) => trade.sources.map((source) => ({ source, place: random() })))
    .toSorted((a, b) => a.place - b.place)
    .map(({ source }) => source);
  const middle = Math.floor(sources.length / 2);
  for (const batch of [sources.slice(0, middle), sources.slice(middle)]) {
    if (batch.length > 0) await storeTrades(importer, market.ticker, batch);
  }
  return { ...market, trades: trades.map(({ merged }) => merged).toSorted(byTimeAndId) };
};
