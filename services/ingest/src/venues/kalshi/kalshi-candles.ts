import { mapNames, venueCandlePrices } from '@almanac/contracts';
import type { CandleContext, CandleFormat, CandleRecord } from '../candle-format.js';
import { type CandlePrice, dayS, type StatedPrice } from '../../model/venue-candle.js';
import { metadataKey, receiptOf } from '../../sources/json-page.js';
import { figureOf, textOf } from '../../sources/record-fields.js';
import { parseObject } from '../../sources/json-lines.js';
import { isObject, type JsonObject } from '../../sources/source.js';
import { readTime, timeUnitOf } from '../../values/time.js';
import { certainFactOf } from './kalshi-ticker.js';

const quotes = ['yes_bid', 'yes_ask', 'price'] as const;
const endKeys = ['end_period_ts', 'end_ts'] as const;
const tickerKeys = ['ticker', 'market_ticker'] as const;
const periods = [60, 3_600, dayS];

/** `yes_bid_open` is the value `open` of `yes_bid`, or a flat column. Data frames cut `previous` to `prev`. */
const placesOf = (name: CandlePrice): readonly { readonly quote: string; readonly part: string }[] => {
  const quote = quotes.find((one) => name.startsWith(`${one}_`)) ?? 'price';
  const part = name.slice(quote.length + 1);
  return (part === 'previous' ? ['previous', 'prev'] : [part]).map((one) => ({ quote, part: one }));
};
const places = mapNames(venueCandlePrices, placesOf);

/** Kalshi's candles: answers of its API for one market, several or an event, in each of their forms, and flat tables of them. */
export const kalshiCandles: CandleFormat = {
  name: 'kalshi-candles',
  periods,
  candlesIn: (document, context) => candlesIn(document, context),
  read: ({ record, context }) => {
    const ranges = Object.fromEntries(quotes.map((quote) => [quote, objectIn(record[quote])]));
    const text = (key: string): string | null => figureOf(record[key]);
    return {
      source: 'kalshi',
      ticker: tickerIn(record) ?? context.ticker,
      periodS: periodIn(record) ?? context.periodS,
      endUs: timeIn(endKeys.map(text).find((found) => found !== null) ?? ''),
      receivedUs: context.receivedUs,
      prices: mapNames(venueCandlePrices, (name) => priceIn(record, ranges, name)),
      sizes: {
        volume: text('volume_fp') ?? text('volume'),
        open_interest: text('open_interest_fp') ?? text('open_interest'),
      },
    };
  },
  factOf: (ticker) => certainFactOf(ticker),
  tickerIn: (name) => /^(KX[A-Z0-9]+(?:-[A-Z0-9.]*[A-Z0-9])+)(?![A-Za-z0-9-])/.exec(name)?.[1] ?? null,
};

/** Only Kalshi names its end `end_period_ts`. With another name, a single `price` can be anything. */
const isCandle = (record: JsonObject): boolean =>
  endKeys.some((key) => key in record) &&
  quotes.some(
    (quote) =>
      (quote in record && ('end_period_ts' in record || isObject(record[quote]))) ||
      (`${quote}_open` in record && `${quote}_close` in record) ||
      `${quote}_close_dollars` in record,
  );

const tickerIn = (value: JsonObject): string | null =>
  tickerKeys.map((key) => textOf(value[key])).find((found) => found !== null) ?? null;

/** The API counts its periods in minutes. */
const periodIn = (value: JsonObject): number | null => {
  const seconds = Number(textOf(value['period_interval']) ?? NaN) * 60;
  return periods.includes(seconds) ? seconds : null;
};

/** A number in a unit that its size shows, or an ISO text. */
const timeIn = (text: string): number | null => {
  const unit = timeUnitOf(text, 'UTC');
  return unit === null ? null : readTime(text, unit, 'UTC');
};

const candlesIn = (document: JsonObject, around: CandleContext): readonly CandleRecord[] | null => {
  if (isCandle(document)) return [{ record: document, context: around }];
  const request = isObject(document[metadataKey]) ? document[metadataKey] : {};
  const context = {
    ...around,
    ticker: tickerIn(document) ?? tickerIn(request) ?? around.ticker,
    periodS: periodIn(document) ?? periodIn(request) ?? around.periodS,
    receivedUs: around.receivedUs ?? receiptOf(metadataKey, request) ?? null,
  };
  const list = document['candlesticks'];
  if (Array.isArray(list)) return recordsOf(list, context);
  const lists = document['market_candlesticks'];
  if (Array.isArray(lists)) {
    const tickers: readonly unknown[] = Array.isArray(document['market_tickers']) ? document['market_tickers'] : [];
    const isNamed = tickers.length === lists.length;
    return lists.flatMap((one: unknown, at) =>
      Array.isArray(one) ? recordsOf(one, { ...context, ticker: isNamed ? textOf(tickers[at]) : '' }) : [],
    );
  }
  const markets = document['markets'] ?? document['response'];
  const found = (Array.isArray(markets) ? markets : [markets])
    .filter(isObject)
    .map((one) => candlesIn(one, Array.isArray(markets) ? { ...context, ticker: '' } : context))
    .filter((one) => one !== null);
  return found.length === 0 ? null : found.flat();
};

const recordsOf = (list: readonly unknown[], context: CandleContext): readonly CandleRecord[] =>
  list.flatMap((one) => (isObject(one) ? [{ record: one, context }] : []));

type Ranges = Readonly<Record<string, JsonObject | null>>;

const priceIn = (record: JsonObject, ranges: Ranges, name: CandlePrice): StatedPrice | null => {
  for (const { quote, part } of places[name]) {
    const range = ranges[quote] ?? null;
    const dollars = figureOf(range?.[`${part}_dollars`]) ?? figureOf(record[`${quote}_${part}_dollars`]);
    if (dollars !== null) return { text: dollars, unit: 'dollars' };
    const plain = figureOf(range?.[part]) ?? figureOf(record[`${quote}_${part}`]);
    if (plain !== null) return { text: plain, unit: 'plain' };
  }
  return null;
};

/** An object, or the text of one: JSON, or a dictionary in Python's notation, as data frames write it. */
const objectIn = (value: unknown): JsonObject | null => {
  if (typeof value !== 'string') return isObject(value) ? value : null;
  if (!value.startsWith('{')) return null;
  const json = parseObject(value);
  const found = typeof json === 'string' ? parseObject(asJson(value)) : json;
  return typeof found === 'string' ? null : found;
};

const pythonToken = /'((?:[^'\\]|\\.)*)'|\b(?:None|True|False|nan)\b/g;
const constants: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false', nan: 'null' };

const asJson = (python: string): string =>
  python.replaceAll(pythonToken, (token, text: string | undefined) =>
    text === undefined ? (constants[token] ?? token) : JSON.stringify(text),
  );
