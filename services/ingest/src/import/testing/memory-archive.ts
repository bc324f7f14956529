import {
  catalogueFact,
  type CatalogueFact,
  coverageOf,
  type CoverageGap,
  feedIds,
  type RecordedSpan,
  venueCandleColumns,
} from '@almanac/contracts';
import type { Archive, RecordOutcome } from '../../archive.js';
import type { MarketFact } from '../../model/market-fact.js';
import type { OutcomeIds } from '../../sources/known-outcomes.js';
import { memoryCoins } from './memory-coins.js';

/** A row as the store reads it from the tab-separated body. */
export interface RecordedRow {
  readonly ticker: string;
  readonly series: string;
  readonly ts: string;
  readonly venueTs: string | null;
  readonly seq: string | null;
  readonly bid: string | null;
  readonly ask: string | null;
  readonly coinPrice: string | null;
  /** Only for a row of a batch with sizes. */
  readonly sizes?: readonly [bid: string | null, ask: string | null];
  /** Only for a row with a book. */
  readonly book?: { readonly yes: string; readonly no: string; readonly coinAgeUs: string | null };
}

/** A trade as the store reads it from the tab-separated body. */
export interface RecordedTrade {
  readonly ticker: string;
  readonly series: string;
  readonly id: string;
  readonly venueTs: string | null;
  readonly receivedTs: string | null;
  readonly price: string;
  readonly size: string;
  readonly side: string | null;
}

/** A venue candle as the store reads it from the tab-separated body, by column. */
export type RecordedCandle = Readonly<Record<(typeof venueCandleColumns)[number], string | null>>;

type Known = Record<string, unknown>;

/**
 * An archive in memory for tests, with the rules of the real one: a fact merges into the stored state (the latest
 * prices at the open and the close stay), of two rows of one market and microsecond the later one stays, and of two
 * spans with one start the longer one.
 */
export const memoryArchive = () => {
  const entities = new Map<string, Known>();
  const rows = new Map<string, RecordedRow>();
  const trades = new Map<string, RecordedTrade>();
  const candles = new Map<string, RecordedCandle>();
  const spans = new Map<string, RecordedSpan>();
  const { coins, ...coinPrices } = memoryCoins({ rows, facts: () => marketsIn(entities) });
  const calls = { facts: 0, lookups: 0, batches: 0, largestBatchBytes: 0, largestBatchRows: 0 };
  const archive: Archive = {
    recordCatalogue: (facts) => {
      calls.facts += facts.length;
      return Promise.resolve(facts.map((fact) => record(entities, fact)));
    },
    storeObservations: ({ columns, body, markets }) => {
      calls.batches += 1;
      if (columns === 'candles') {
        for (const candle of candlesIn(body)) mergeCandle(candles, candle);
        return Promise.resolve();
      }
      if (columns === 'coins') {
        for (const [coin, ts, price] of cellsIn(body))
          coinPrices.put({ coin: coin ?? '', us: coinPrices.usOf(ts ?? ''), price: price ?? '' });
        return Promise.resolve();
      }
      if (columns === 'trades') {
        for (const trade of tradesIn(body)) mergeTrade(trades, trade);
        return Promise.resolve();
      }
      const found = rowsIn(body, columns === 'top_sizes');
      calls.largestBatchBytes = Math.max(calls.largestBatchBytes, body.length + JSON.stringify({ markets }).length);
      calls.largestBatchRows = Math.max(calls.largestBatchRows, found.length);
      for (const row of found) {
        rows.set(`${row.ticker} ${row.ts}`, row);
        coinPrices.forget(`${row.ticker} ${row.ts}`);
      }
      return Promise.resolve();
    },
    storeSpans: (given) => {
      for (const span of given) {
        const key = `${span.ticker} ${span.layer} ${span.start_us}`;
        if (span.end_us >= (spans.get(key)?.end_us ?? 0)) spans.set(key, span);
      }
      return Promise.resolve();
    },
    settled: () => Promise.resolve(),
    coins,
    valuesOfParents: ({ series, events }) =>
      Promise.resolve({ markets: valuesOfParents(entities, new Set([...series, ...events])), next: null }),
    marketsOf: (ids) => {
      calls.lookups += 1;
      return Promise.resolve(marketsOf(entities, new Set(ids)));
    },
  };
  return { archive, things: entities, rows, trades, candles, spans, coinPrices: coinPrices.prices, calls };
};

export type MemoryArchive = ReturnType<typeof memoryArchive>;

/** The gaps between the spans of all markets, and after the last span if a fault ended it. */
export const gapsIn = ({
  spans,
}: {
  readonly spans: ReadonlyMap<string, RecordedSpan>;
}): readonly (CoverageGap & { ticker: string })[] =>
  Array.from(Map.groupBy(spans.values(), ({ ticker }) => ticker)).flatMap(([ticker, its]) =>
    coverageOf(its, noExtent)
      .gaps.filter(({ endUs, reason }) => endUs !== null || !usualEnds.has(reason))
      .map((gap) => ({ ticker, ...gap })),
  );

const usualEnds = new Set(['the recording ended', 'the recorder went on to another market']);
const noExtent = { openUs: null, closeUs: null, firstUs: null, lastUs: null, nowUs: 0 };

const record = (entities: Map<string, Known>, fact: CatalogueFact): RecordOutcome => {
  const id = fact.kind === 'market' ? fact.ticker : fact.kind === 'series' ? fact.id : fact.event_ticker;
  const key = `${fact.kind} ${id}`;
  const before = entities.get(key);
  const after: Known = { ...before };
  for (const [name, value] of Object.entries(fact)) {
    const known = usOf(after[name]);
    const given = usOf(value);
    const stays = known !== null && given !== null && (name === 'open_price' || name === 'last_price') && known > given;
    if (name === 'history' || name === 'fees') after[name] = united(after[name], value);
    else if (value !== null && value !== undefined && !stays) after[name] = value;
  }
  entities.set(key, after);
  if (!before) return { outcome: 'created' };
  return { outcome: JSON.stringify(before) === JSON.stringify(after) ? 'unchanged' : 'changed' };
};

/** What is known about each market. Values of other types than a fact's are none of a fact. */
const marketsIn = (entities: ReadonlyMap<string, Known>): readonly MarketFact[] =>
  Array.from(entities.values()).flatMap((known) => {
    const { success, data } = catalogueFact.safeParse({ ...known, kind: 'market' });
    return success && data.kind === 'market' ? [data] : [];
  });

/** Markets of these series and events that lack what their event, or else their series, has. */
const valuesOfParents = (entities: ReadonlyMap<string, Known>, named: ReadonlySet<string>) =>
  marketsIn(entities).flatMap(({ ticker, ...own }) => {
    const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
    const event = entities.get(`event ${own.event_ticker}`);
    const series = text(own.series) ?? text(event?.['series']);
    const parents = [own, event, entities.get(`series ${series}`)];
    const category = parents.map((parent) => text(parent?.category)).find((value) => value !== null) ?? null;
    const ofCategory = parents.filter((parent) => category !== null && parent?.category === category);
    const label = ofCategory.map((parent) => text(parent?.category_label)).find((value) => value !== null) ?? null;
    const found = { ticker, series, category, category_label: label };
    const isNamed = named.has(series ?? '') || named.has(own.event_ticker ?? '');
    const isNew = text(own.series) !== series || text(own.category) !== category || text(own.category_label) !== label;
    return isNamed && isNew ? [found] : [];
  });

const marketsOf = (entities: ReadonlyMap<string, Known>, ids: ReadonlySet<string>): readonly OutcomeIds[] =>
  Array.from(entities.values()).flatMap(({ ticker, feed_ids: given }) => {
    const named = feedIds.safeParse(given).data;
    const isFound = named && [named.condition, named.yes, named.no].some((id) => id !== null && ids.has(id));
    return isFound === true && typeof ticker === 'string' ? [{ ticker, ...named }] : [];
  });

/** Statements with knowledge times add up. */
const united = (known: unknown, given: unknown): readonly unknown[] => {
  const items = [known, given].flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []));
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
};

const usOf = (value: unknown): number | null =>
  typeof value === 'object' && value !== null && 'us' in value && typeof value.us === 'number' ? value.us : null;

/** Of a repeated trade the earliest receive time, the most exact venue time and the last values stay. */
const mergeTrade = (trades: Map<string, RecordedTrade>, trade: RecordedTrade): void => {
  const key = `${trade.ticker} ${trade.id}`;
  const before = trades.get(key);
  const venue = [before?.venueTs, trade.venueTs].filter((ts) => typeof ts === 'string').toSorted();
  const received = [before?.receivedTs, trade.receivedTs].filter((ts) => typeof ts === 'string').toSorted();
  trades.set(key, { ...trade, venueTs: venue.at(-1) ?? null, receivedTs: received[0] ?? null });
};

/** Of two statements of a candle the later one stays. */
const mergeCandle = (candles: Map<string, RecordedCandle>, candle: RecordedCandle): void => {
  const key = [candle.ticker, candle.period_s, candle.source, candle.end_ts].join(' ');
  if ((candle.stated_ts ?? '') >= (candles.get(key)?.stated_ts ?? '')) candles.set(key, candle);
};

const candlesIn = (body: Uint8Array): readonly RecordedCandle[] =>
  cellsIn(body).map((cells) => {
    const entries = venueCandleColumns.map((name, at) => [name, cells[at] ?? null]);
    // Object.fromEntries loses the names' types.
    return Object.fromEntries(entries) as RecordedCandle;
  });

const cellsIn = (body: Uint8Array): readonly (readonly (string | null)[])[] =>
  Buffer.from(body)
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t').map((cell) => (cell === '\\N' ? null : cell)));

const tradesIn = (body: Uint8Array): readonly RecordedTrade[] =>
  cellsIn(body).map(([ticker, series, id, venueTs = null, receivedTs = null, price, size, side = null]) => ({
    ticker: ticker ?? '',
    series: series ?? '',
    id: id ?? '',
    venueTs,
    receivedTs,
    price: price ?? '',
    size: size ?? '',
    side,
  }));

const rowsIn = (body: Uint8Array, withSizes: boolean): readonly RecordedRow[] =>
  cellsIn(body).map((cells) => {
    const [ticker, series, ts, venueTs = null, seq = null, bid = null, ask = null, coinPrice = null] = cells;
    const [hasBook = null, yes = null, no, coinAgeUs] = cells.slice(8);
    return {
      ticker: ticker ?? '',
      series: series ?? '',
      ts: ts ?? '',
      venueTs,
      seq,
      bid,
      ask,
      coinPrice,
      ...(withSizes && { sizes: [hasBook, yes] as const }),
      ...(hasBook === 'true' && { book: { yes: yes ?? '', no: no ?? '', coinAgeUs: coinAgeUs ?? null } }),
    };
  });
