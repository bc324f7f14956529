import type { MarketFact } from '../../model/market-fact.js';
import { isObject, type JsonObject } from '../../sources/source.js';
import { marketOfKalshi } from './kalshi-markets.js';

export const lifecycleTypes: ReadonlySet<string> = new Set(['market_lifecycle_v2', 'multivariate_market_lifecycle']);

/** A market object contains everything that is needed. */
export const nothingKnown = { see: () => undefined, series: () => undefined, event: () => undefined };

/**
 * What a message of Kalshi's lifecycle channels says about a market, known from its receipt. Null for a type of event that
 * states nothing. The channel has the values of market objects under other names.
 */
export const lifecycleFact = (us: number, ticker: string, msg: JsonObject): MarketFact | null => {
  const status = statuses.get(msg['event_type']);
  const record = {
    ...(isObject(msg['additional_metadata']) ? msg['additional_metadata'] : {}),
    ticker,
    ...(status !== undefined && { status }),
    result: msg['result'],
    open_time: isoOf(msg['open_ts']),
    close_time: isoOf(msg['close_ts']),
    settlement_ts: isoOf(msg['settled_ts']),
    settlement_value_dollars: msg['settlement_value'],
    price_ranges: priceRanges.get(msg['price_level_structure']),
  };
  const { fact } = marketOfKalshi(record, nothingKnown, us);
  return fact.history === undefined ? null : fact;
};

/** The statuses that market objects have after these events. Other events change none. */
const statuses: ReadonlyMap<unknown, string> = new Map([
  ['created', 'initialized'],
  ['activated', 'active'],
  ['deactivated', 'inactive'],
  ['determined', 'determined'],
  ['settled', 'finalized'],
]);

/** The price steps of market objects with these structures. Steps of others are not the same for all prices. */
const priceRanges: ReadonlyMap<unknown, readonly object[]> = new Map([
  ['linear_cent', [{ start: '0.0000', end: '1.0000', step: '0.0100' }]],
  ['deci_cent', [{ start: '0.0000', end: '1.0000', step: '0.0010' }]],
]);

const secondsMax = 4_102_444_800;

const isoOf = (seconds: unknown): string | null =>
  typeof seconds === 'number' && Number.isInteger(seconds) && seconds > 0 && seconds <= secondsMax
    ? new Date(seconds * 1_000).toISOString()
    : null;
