import { type DatedField, tickSizeText } from '@almanac/contracts';
import type { MarketFact } from '../../model/market-fact.js';
import { storedDecimal } from '../../values/stored-values.js';
import { categoryOf } from '../../values/category.js';
import { rulesText, withKnowledge } from '../../model/knowledge.js';
import { readTime } from '../../values/time.js';
import { titleOf } from '../../values/title.js';
import type { CatalogueFormat, ReadFacts } from '../catalogue-format.js';
import type { KnownCatalogue } from '../../sources/known-catalogue.js';
import { fetchedUs, objectsIn, recordFields, textOf } from '../../sources/record-fields.js';
import type { JsonObject } from '../../sources/source.js';
import { isWholeCents } from './kalshi-cents.js';

/**
 * Kalshi's market objects, in the old form (prices in cents) and the new one (`_dollars`, `_fp`). The catalogue fields
 * are the same in both. Their quotes have no time, so they are not observations.
 */
export const kalshiMarkets: CatalogueFormat = {
  name: 'kalshi-markets',
  listKey: 'markets',
  entityKind: 'markets',
  is: (record) => ['ticker', 'event_ticker', 'close_time', 'status'].every((key) => typeof record[key] === 'string'),
  read: (record, known, receivedUs) => {
    const { fact, dropped, altered } = marketOfKalshi(record, known, receivedUs);
    return { facts: [fact], dropped, altered };
  },
};

export const marketOfKalshi = (
  record: JsonObject,
  known: KnownCatalogue,
  receivedUs: number | null,
): Omit<ReadFacts, 'facts'> & { readonly fact: MarketFact } => {
  const { text, decimal, time, dropped, altered } = recordFields(record);
  const event = text('event_ticker');
  const series = text('series_ticker') ?? (event === null ? null : seriesOfEvent(event, known));
  if (event !== null && series === null) dropped.push('series: neither the files nor the ticker tell it');
  if (text('cap_strike') !== null) dropped.push('cap_strike: the archive has no field for it');
  const fact: MarketFact = {
    kind: 'market',
    ticker: text('ticker') ?? '',
    event_ticker: event,
    series,
    title: titleOf(text('title'), text('yes_sub_title') ?? text('subtitle')),
    ...(categoryOf(text('category')) ?? known.event(event ?? '')?.category ?? known.series(series ?? '')?.category),
    venue_status: text('status'),
    result: text('result'),
    open_us: time('open_time', 'open_ts'),
    close_us: time('close_time', 'close_ts'),
    settlement_us: time('settlement_ts', 'settlement_ts'),
    floor_strike: decimal('floor_strike', 'floor_strike'),
    strike_type: text('strike_type'),
    expiration_value: decimal('expiration_value', 'expiration_value'),
    settlement_value: decimal('settlement_value_dollars', 'settlement_value') ?? oldSettlementValue(record, dropped),
  };
  const terms = {
    rules: rulesText([text('rules_primary'), text('rules_secondary')], dropped),
    tick_size: tickSizeOf(record),
  };
  const times = {
    receivedUs: receivedUs ?? fetchedUs(record),
    // Newer answers have the year 1 for an unknown time.
    createdUs: readTime(text('created_time') ?? '', 'iso'),
    mayCloseEarly: record['can_close_early'] === true,
    statedUs: readTime(text('updated_time') ?? '', 'iso'),
    withoutValue: takenBackIn(record),
  };
  return { fact: withKnowledge(fact, times, terms), dropped, altered };
};

/** A market that trades has no result. Its record says so with empty values, which take earlier ones back. */
const takenBackIn = (record: JsonObject): readonly DatedField[] => {
  const isTraded = record['status'] === 'active' || record['status'] === 'open';
  if (!isTraded || !kalshiMarkets.is(record)) return [];
  const keys = { result: 'result', settlement_us: 'settlement_ts', expiration_value: 'expiration_value' } as const;
  const isEmpty = (key: string): boolean => record[key] === null || record[key] === '';
  const value = ['settlement_value_dollars', 'settlement_value'].some(isEmpty) ? (['settlement_value'] as const) : [];
  return [...Object.entries(keys).flatMap(([field, key]) => (isEmpty(key) ? [field as DatedField] : [])), ...value];
};

/** Older answers have it in cents. */
const oldSettlementValue = (record: JsonObject, dropped: string[]): string | null => {
  const given = textOf(record['settlement_value']);
  const value = given !== null && isWholeCents(given) ? storedDecimal(given, { pointLeft: 2 }) : null;
  if (given !== null && value === null) dropped.push('settlement_value: not whole cents');
  return value;
};

/** The price ranges with their steps, or the one step of older answers, in cents. */
const tickSizeOf = (record: JsonObject): string | null => {
  const ranges = objectsIn(record['price_ranges']).map(
    ({ start, end, step }) => [stepPrice(start), stepPrice(end), stepPrice(step)] as const,
  );
  const isWhole = (range: (typeof ranges)[number]): range is readonly [string, string, string] =>
    range.every((price) => price !== null);
  if (ranges.length > 0) return ranges.every(isWhole) ? tickSizeText(ranges) : null;
  const cents = storedDecimal(textOf(record['tick_size']) ?? '', { pointLeft: 2 });
  return cents === null ? null : tickSizeText([['0', '1', cents]]);
};

const stepPrice = (value: unknown): string | null => storedDecimal(textOf(value) ?? '');

/** `KXCPICOREYOY-25AUG`: series and date. Other forms (`KXNEWTAYLOR-TS-25`, `EUCLIMATE`) do not show a series. */
const seriesThenDate = /^(KX[A-Z0-9]+)-\d\d[A-Z0-9]*$/;

/**
 * The series of an event: from a file, or the known series that its ticker begins with, or the beginning of a ticker in
 * the plain form (right for all 1,735 such events of the dump of 2025-02-24).
 */
export const seriesOfEvent = (event: string, known: KnownCatalogue): string | null => {
  const recordedSeries = known.event(event)?.series;
  if (recordedSeries !== undefined && recordedSeries !== null) return recordedSeries;
  const segments = event.split('-');
  const beginnings = segments.map((_, index) => segments.slice(0, segments.length - index).join('-'));
  const found =
    beginnings.find((id) => known.series(id) !== undefined) ??
    beginnings.map((id) => `KX${id}`).find((id) => known.series(id) !== undefined);
  return found ?? seriesThenDate.exec(event)?.[1] ?? null;
};
