import { type ClickHouse, command } from '@almanac/clickhouse';
import { allFiguresSql } from '../../../services/catalog/dist/tables/event-figures.js';
import { insertRows } from '../../../services/catalog/dist/tables/insert-rows.js';
import { allWordsSql } from '../../../services/catalog/dist/tables/market-words.js';
import { rowOf } from '../../../services/catalog/dist/tables/rows.js';
import { seriesDecider } from '../../../services/catalog/dist/series/series.decider.js';
import { catalogueData, endS, liveS, spanS } from './catalogue-data.js';
import { type Kind, kinds } from './catalogue-kinds.js';

const stored = { id: '', version: 1, time: 0, account: null } as const;
const noTotals = { seriesN: 0, eventsN: 0, marketsN: 0 };

/** Each event has the strikes of one of so many centres. */
const variantsN = 8;

/**
 * Writes a catalogue into the tables with SQL, for measurements of their reads alone: ten million markets in some minutes, without
 * events at NATS. Ids, titles and words are those of `catalogueData`, except that fewer strikes differ, and earlier versions, which
 * only reads as of a time use, are missing. `ofEvents` multiplies the events of each series: 1 gives two million markets.
 */
export const fillCatalogueTables = async (clickhouse: ClickHouse, ofEvents: number): Promise<void> => {
  let seq = 1;
  const series = [...catalogueData({ ...noTotals, oneEventOf: 1, oneMarketOf: 1, timesEvents: 1 })].map((one) => {
    const state = seriesDecider.evolve(undefined, { type: 'SeriesRecorded', data: one.series });
    seq += 1;
    const event = { ...stored, type: 'SeriesRecorded', data: one.series, state };
    return rowOf({ subject: one.series.id, seq, event }).row;
  });
  await insertRows(clickhouse, series, { of: 'series' });
  for (const [index, kind] of kinds.entries()) {
    const events = Math.max(2, Math.round(kind.events * ofEvents));
    for (let variant = 0; variant < Math.min(variantsN, events); variant += 1) {
      const params = paramsOf(kind, { first: index * kind.subjects.length, events, variant, seq });
      await command(clickhouse, { sql: marketsSql, params, settings: { max_threads: 2 } });
      if (variant === 0) await command(clickhouse, { sql: eventsSql, params });
      seq += kind.subjects.length * (events + 1) * (kind.markets + 1);
    }
  }
  await command(clickhouse, { sql: allFiguresSql({ from: 'markets', into: 'event_figures' }) });
  await command(clickhouse, { sql: allWordsSql({ from: 'markets', into: 'market_words' }) });
};

interface Part {
  /** The number of the first series of the kind. */
  readonly first: number;
  readonly events: number;
  readonly variant: number;
  readonly seq: number;
}

const paramsOf = (kind: Kind, { first, events, variant, seq }: Part) => {
  const centre = 20 * 1.035 ** (first + 2 * variant) + variant;
  const places = Array.from({ length: kind.markets }, (_, k) => kind.market({ k, of: kind.markets, centre }));
  return {
    codes: kind.subjects.map((subject) => `KX${subject.slice(0, subject.indexOf(' '))}${kind.code}`),
    names: kind.subjects.map((subject) => subject.slice(subject.indexOf(' ') + 1)),
    suffixes: places.map(({ suffix }) => suffix),
    titles: places.map(({ title }) => title),
    strikes: places.map(({ strike }) => strike ?? 0),
    has_strike: places.some(({ strike }) => strike !== undefined) ? 1 : 0,
    event_title: kind.eventTitle,
    label: kind.category,
    category: kind.category.toLowerCase().replaceAll(' ', '-'),
    open_s: kind.openForS,
    first,
    events,
    variant,
    seq,
    variants: variantsN,
    begin_s: endS - spanS,
    every_s: Math.floor(spanS / events),
    live_s: liveS,
  };
};

/** The words of a text, then those of an id with its parts, as `searchWordsOf` finds them. */
const wordsOf = (texts: string, id: string): string => `
  arrayStringConcat(arrayMap(word -> concat(' ', word), arrayDistinct(arrayConcat(
    extractAll(lowerUTF8(${texts}), '[\\\\p{L}\\\\p{M}\\\\p{N}]+'), extractAll(lower(${id}), '[\\\\p{L}\\\\p{N}]+'),
    [substring(lower(series), 3)], arrayFilter(part -> length(part) > 1, extractAll(substring(lower(series), 3), '[0-9]+[a-z]*|[a-z]+')),
    [concat('ª', substring(lower(hex(SHA256(lowerUTF8(title)))), 1, 16))]))))`;

const eventsOf = (which: string): string => `
  SELECT number % length({codes:Array(String)}) AS its, intDiv(number, length({codes:Array(String)})) AS n,
    {codes:Array(String)}[its + 1] AS series, {names:Array(String)}[its + 1] AS name, n = {events:UInt32} - 1 AS is_live,
    intDiv(if(is_live, {live_s:UInt64} + ({first:UInt32} + its) * 3600, {begin_s:UInt64} + n * {every_s:UInt64} + ({first:UInt32} + its) * 900), 900) * 900 AS close_s,
    concat(series, '-', upper(formatDateTime(toDateTime(close_s, 'UTC'), '%y%b%d%H%i'))) AS event_ticker,
    replaceRegexpOne(formatDateTime(toDateTime(close_s, 'UTC'), '%b %e, %Y at %H:%i UTC'), '  ', ' ') AS at
  FROM numbers(length({codes:Array(String)}) * {events:UInt32}) WHERE ${which}`;

const marketsSql = `INSERT INTO markets (ticker, series, event_ticker, title, category, category_label, capture, venue_status, result,
    strike_type, open_us, close_us, settlement_us, floor_strike, expiration_value, words, seq)
  SELECT concat(event_ticker, '-', {suffixes:Array(String)}[k]) AS ticker, series, event_ticker,
    replaceOne(replaceOne({titles:Array(String)}[k], '@', name), '#', at) AS title, {category:String}, {label:String}, 'top',
    multiIf(is_live, 'active', n % 50 = 49, 'closed', 'finalized'), if(is_live OR n % 50 = 49, NULL, if(k % 2 = 1, 'yes', 'no')),
    if({has_strike:UInt8} = 1, 'greater', NULL), (close_s - {open_s:UInt64}) * 1000000, close_s * 1000000,
    if(is_live OR n % 50 = 49, NULL, (close_s + 300) * 1000000 + k),
    if({has_strike:UInt8} = 1, toDecimal64({strikes:Array(Float64)}[k], 8), NULL), if(is_live OR n % 50 = 49, NULL, toDecimal64(n, 8)),
    ${wordsOf("concat(title, ' ', {label:String}, ' ', {category:String})", 'ticker')}, {seq:UInt64} + rowNumberInAllBlocks()
  FROM (${eventsOf('n % {variants:UInt32} = {variant:UInt32}')}) ARRAY JOIN arrayEnumerate({suffixes:Array(String)}) AS k`;

const eventsSql = `INSERT INTO events (event_ticker, title, series, category, category_label, words, seq)
  SELECT event_ticker, replaceOne(replaceOne({event_title:String}, '@', name), '#', at) AS title, series, {category:String}, {label:String},
    ${wordsOf("concat(title, ' ', {category:String})", 'event_ticker')}, {seq:UInt64} + rowNumberInAllBlocks()
  FROM (${eventsOf('1')})`;
