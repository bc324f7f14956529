import { mapNames, venueCandlePrices, venueCandleSizes } from '@almanac/contracts';
import { storedDecimal } from '../values/stored-values.js';
import type { NamedAltered } from '../values/altered.js';
import { isProbability } from '../values/decimal.js';
import { isAtMidnight } from '../values/zone.js';
import { type DecimalUnit, pointLeftOf } from '../values/decimal-unit.js';

export type CandlePrice = (typeof venueCandlePrices)[number];
export type CandleSize = (typeof venueCandleSizes)[number];

/** `plain`: the file decides whether its prices are cents or dollars. */
export type PriceUnit = DecimalUnit | 'plain';

export interface StatedPrice {
  readonly text: string;
  readonly unit: PriceUnit;
}

/** What a source states about a candle, unchecked. Null is what it does not state. */
export interface StatedCandle {
  readonly ticker: string | null;
  readonly source: string;
  readonly endUs: number | null;
  readonly periodS: number | null;
  /** When the candle was received. */
  readonly receivedUs: number | null;
  readonly prices: Readonly<Record<CandlePrice, StatedPrice | null>>;
  readonly sizes: Readonly<Record<CandleSize, string | null>>;
}

/** A venue candle as the archive stores it. */
export interface VenueCandle {
  readonly ticker: string;
  readonly source: string;
  readonly periodS: number;
  readonly startUs: number;
  readonly endUs: number;
  readonly receivedUs: number | null;
  readonly prices: Readonly<Record<CandlePrice, string | null>>;
  readonly sizes: Readonly<Record<CandleSize, string | null>>;
}

export interface ReadCandle {
  readonly candle: VenueCandle;
  /** Values stored with fewer digits than the source has. */
  readonly altered: readonly NamedAltered[];
}

export const dayS = 86_400;
const venueZone = 'America/New_York';
const decimals = 6;

/** What the file as a whole says about its candles. Null if it does not. */
export interface FileRules {
  readonly periodS: number | null;
  readonly unit: 'dollars' | 'cents' | null;
}

/** The candle, or why it is refused, one of a few texts. */
export const readCandle = (stated: StatedCandle, file: FileRules): ReadCandle | string => {
  const { ticker, source, endUs, receivedUs } = stated;
  if (ticker === null || ticker === '') return candleReasons.noMarket;
  if (endUs === null) return candleReasons.noEnd;
  const periodS = stated.periodS ?? file.periodS;
  if (periodS === null) return candleReasons.noPeriod;
  const startUs = startOf(endUs, periodS);
  if (startUs === null) return candleReasons.notOnPeriod;
  if (receivedUs !== null && receivedUs < endUs) return candleReasons.notEnded;
  const altered: NamedAltered[] = [];
  let fault: string | null = null;
  const decimal = (name: string, text: string, pointLeft: number): string | null =>
    storedDecimal(text, { pointLeft, decimals, onAltered: (change) => void altered.push({ ...change, name }) });
  const prices = mapNames(venueCandlePrices, (name) => {
    const price = stated.prices[name];
    if (price === null) return null;
    const unit = price.unit === 'plain' ? file.unit : price.unit;
    if (unit === null || (price.unit === 'plain' && unitOf(price.text) === otherUnitOf(file.unit))) {
      fault ??= unit === null ? candleReasons.noUnit : candleReasons.units;
      return null;
    }
    const value = decimal(name, price.text, pointLeftOf(unit));
    if (value === null || !isProbability(value)) fault ??= `${name}: not a price from 0 to 1`;
    return value;
  });
  const sizes = mapNames(venueCandleSizes, (name) => {
    const text = stated.sizes[name];
    if (text === null) return null;
    const value = decimal(name, text, 0);
    if (value === null || value.startsWith('-')) fault ??= `${name}: not a number from 0`;
    return value;
  });
  if (fault !== null) return fault;
  if ([...Object.values(prices), ...Object.values(sizes)].every((value) => value === null))
    return candleReasons.noValues;
  return { candle: { ticker, source, periodS, startUs, endUs, receivedUs, prices, sizes }, altered };
};

const otherUnitOf = (unit: FileRules['unit']): FileRules['unit'] => (unit === 'cents' ? 'dollars' : 'cents');

/** What a price without a stated unit shows about it: no price in dollars is above 1, and none in cents is below. */
export const unitOf = (text: string): 'dollars' | 'cents' | null => {
  const value = Number(text);
  if (value > 1) return 'cents';
  return (value > 0 && value < 1) || /\.\d{4}$/.test(text) ? 'dollars' : null;
};

/** The start of the period with this end, or null if no period has it. */
export const startOf = (endUs: number, periodS: number): number | null => {
  const periodUs = periodS * 1_000_000;
  if (!Number.isInteger(dayS / periodS)) return null;
  return endUs % periodUs === 0 || (periodS === dayS && isEndOfVenueDay(endUs)) ? endUs - periodUs : null;
};

/** Kalshi's days are 24 hours from midnight in New York, also on the two days of a year that have 23 or 25. */
export const isEndOfVenueDay = (endUs: number): boolean =>
  [endUs, endUs - dayS * 1_000_000].some((us) => isAtMidnight(us / 1_000, venueZone));

export const candleReasons = {
  noMarket: 'no market in the row, the document or the name of the file',
  noEnd: 'no end of the period',
  noPeriod: 'no period, and the distances of the rows do not show it',
  notOnPeriod: 'the end is not the end of a period',
  notEnded: 'the period had not ended when the candle was received',
  noUnit: 'no unit of prices: all of the file are 0 or 1',
  units: 'a price in cents and one in dollars in one file',
  noValues: 'no values',
  other: 'not a candle that this version supports',
} as const;
