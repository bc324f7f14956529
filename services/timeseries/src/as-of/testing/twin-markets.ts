import { type DatedField, type KnownValues, marketState, type MarketState, timeseriesRpc } from '@almanac/contracts';
import { randomUUID } from 'node:crypto';
import type { Observation } from '../../testing/fixture.js';
import type { TimeseriesHarness } from '../../testing/harness.js';
import { type GivenTrade, storeTrades } from '../../testing/store-trades.js';
import { type GivenVenueCandle, storeVenueCandles } from '../../testing/store-venue-candles.js';
import { randomVenueCandles } from '../../candles/testing/venue-candle-model.js';
import { pick, type Random } from '../../testing/random.js';

const second = 1_000_000;
export const openUs = 1_771_992_900 * second;

/** What a source stated about a market. Null: nothing tells when it was known. */
interface Statement {
  readonly field: DatedField;
  readonly value: string;
  readonly knownUs: number | null;
}

interface Span {
  readonly layer: 'top' | 'l2';
  readonly start_us: number;
  readonly end_us: number;
  readonly end_reason: string | null;
}

/** All that an archive can have of a market. */
export interface Content {
  readonly statements: readonly Statement[];
  readonly rows: readonly Observation[];
  readonly trades: readonly GivenTrade[];
  readonly spans: readonly Span[];
  readonly candles: readonly GivenVenueCandle[];
}

/** Corrections, late facts and facts without a time. */
const randomStatements = (random: Random): Statement[] => {
  const listedUs = openUs - pick(random, 0, 240) * second;
  const closes = Array.from({ length: pick(random, 1, 4) }, () => openUs + pick(random, 100, 400) * second);
  const settledUs = openUs + pick(random, 200, 500) * second;
  const later = (fromUs: number): number => fromUs + pick(random, 0, 200) * second + pick(random, 0, 3);
  const all: (Statement | false)[] = [
    { field: 'title', value: 'First title', knownUs: listedUs },
    random() < 0.4 && { field: 'title', value: 'Corrected title', knownUs: later(listedUs) },
    random() < 0.9 && { field: 'open_us', value: String(openUs), knownUs: listedUs },
    ...closes.map((us, at): Statement => ({
      field: 'close_us',
      value: String(us),
      knownUs: at === 0 ? listedUs : later(openUs),
    })),
    { field: 'venue_status', value: 'active', knownUs: openUs },
    random() < 0.5 && { field: 'floor_strike', value: '100.5', knownUs: openUs },
    random() < 0.5 && { field: 'coin_price_start', value: '65434.98', knownUs: random() < 0.5 ? null : openUs },
    random() < 0.8 && { field: 'result', value: 'yes', knownUs: random() < 0.2 ? null : later(settledUs) },
    random() < 0.3 && { field: 'result', value: 'no', knownUs: later(openUs) },
    random() < 0.8 && { field: 'settlement_us', value: String(settledUs), knownUs: later(settledUs) },
    random() < 0.5 && { field: 'expiration_value', value: '65573.37', knownUs: later(settledUs) },
  ];
  return all.filter((one) => one !== false);
};

const randomRows = (random: Random): Observation[] => {
  const times = new Set(
    Array.from({ length: pick(random, 0, 200) }, () => {
      const us = openUs + pick(random, -60 * second, 500 * second);
      return random() < 0.4 ? Math.floor(us / second) * second + pick(random, 0, 2) : us;
    }),
  );
  return [...times].map((us, index) => {
    const bid = random() < 0.3 ? 98 : pick(random, 1, 98);
    return {
      us,
      seq: index,
      bid: random() < 0.1 ? null : (bid / 100).toString(),
      ask: random() < 0.1 ? null : ((bid + 1) / 100).toString(),
      price: random() < 0.2 ? null : (60_000 + pick(random, 0, 999) / 100).toString(),
      book: random() < 0.3 ? null : { yes: `[(${bid / 100},${index + 1})]`, no: `[(${(99 - bid) / 100},7)]` },
    };
  });
};

const randomSpans = (random: Random): Span[] => {
  const bounds = [...new Set(Array.from({ length: 2 * pick(random, 0, 4) }, () => pick(random, -20, 450)))];
  const sorted = bounds.toSorted((a, b) => a - b).map((s) => openUs + s * second + pick(random, 0, 2));
  return sorted.flatMap((start_us, at): Span[] => {
    const end_us = sorted[at + 1];
    if (at % 2 === 1 || end_us === undefined) return [];
    return [{ layer: random() < 0.7 ? 'l2' : 'top', start_us, end_us, end_reason: random() < 0.8 ? 'lost' : null }];
  });
};

const randomTrades = (random: Random): GivenTrade[] =>
  random() < 0.3
    ? []
    : Array.from({ length: pick(random, 1, 40) }, (_, index) => {
        const receivedUs = openUs + pick(random, -30 * second, 450 * second);
        return { id: `t-${index}`, receivedUs, price: (pick(random, 1, 99) / 100).toString(), size: `${index + 1}` };
      });

/** Minutes, some with holes, and an hour around them. */
const randomCandles = (random: Random): readonly GivenVenueCandle[] => {
  if (random() < 0.6) return [];
  const hour = { periodS: 3_600, startUs: Math.floor(openUs / 3_600 / second) * 3_600 * second, volume: '7' };
  const minutes = randomVenueCandles(random, openUs - 60 * second, 9);
  return random() < 0.3 ? [...minutes, hour] : minutes;
};

const endOf = ({ startUs, periodS }: GivenVenueCandle): number => startUs + periodS * second;

export const randomContent = (random: Random): Content => ({
  statements: randomStatements(random),
  rows: randomRows(random),
  trades: randomTrades(random),
  spans: randomSpans(random),
  candles: randomCandles(random),
});

/** The content that the world could know at a time. Written without the service's own rules. */
export const knownBy = ({ statements, rows, trades, spans, candles }: Content, asOfUs: number): Content => ({
  statements: statements.filter(({ knownUs }) => knownUs !== null && knownUs <= asOfUs),
  rows: rows.filter(({ us }) => us <= asOfUs),
  trades: trades.filter(({ receivedUs = null }) => receivedUs !== null && receivedUs <= asOfUs),
  candles: candles.filter((candle) => endOf(candle) <= asOfUs),
  spans: spans
    .filter(({ start_us }) => start_us <= asOfUs)
    .map((span) => (span.end_us > asOfUs ? { ...span, end_us: asOfUs, end_reason: null } : span)),
});

/** A time at which an answer can be wrong by a microsecond, in whole seconds. */
export const randomAsOf = (random: Random, { statements, rows, spans, candles }: Content): number => {
  const edges = [
    ...statements.flatMap(({ knownUs }) => knownUs ?? []),
    ...rows.map(({ us }) => us),
    ...spans.flatMap(({ start_us, end_us }) => [start_us, end_us]),
    ...candles.map(endOf),
  ];
  const edge = edges[pick(random, 0, edges.length)] ?? openUs;
  return random() < 0.6 ? Math.floor(edge / second) + pick(random, 0, 2) : openUs / second + pick(random, -120, 600);
};

/** The state as the catalogue stores it: the value that was known last is the present one. */
const stateOf = (ticker: string, statements: readonly Statement[]): MarketState => {
  const known = statements.toSorted(
    (a, b) => (a.knownUs ?? Infinity) - (b.knownUs ?? Infinity) || (a.value < b.value ? -1 : 1),
  );
  const history = known.flatMap(({ field, value, knownUs }): KnownValues[] =>
    knownUs === null ? [] : [{ known_us: knownUs, basis: 'recorded', values: { [field]: value } }],
  );
  const values = Object.fromEntries(
    known.map(({ field, value }) => [field, field.endsWith('_us') ? Number(value) : value]),
  );
  return marketState.parse({ ticker, series: 'S', event_ticker: 'E', category: 'crypto', history, ...values });
};

/** What only the whole archive has: values without a knowledge time, and totals of later rows. */
const undated = {
  capture: 'l2',
  coin_price_end: '65000.5',
  open_price: { price: '1', us: openUs },
  last_price: { price: '2', us: openUs + 90 * second },
  trades: { n: 9, volume: '12.5' },
} as const;

/** Stores a market. Without a statement, it is not in the catalogue. */
export const storeContent = async (
  { fixture, callers }: TimeseriesHarness,
  { statements, rows, trades, spans, candles }: Content,
  { isWhole }: { readonly isWhole: boolean },
): Promise<string> => {
  const ticker = `M-${randomUUID()}`;
  if (statements.length > 0) {
    await fixture.market({ ...stateOf(ticker, statements), ...(isWhole ? undated : {}) });
  }
  if (rows.length > 0) await callers.store(ticker, rows);
  if (trades.length > 0) await storeTrades(callers.importer, ticker, trades);
  if (candles.length > 0) await storeVenueCandles(callers.importer, ticker, candles);
  const ofMarket = spans.map((span) => ({ ticker, ...span }));
  const input = { markets: [], spans: ofMarket };
  if (ofMarket.length > 0) await callers.importer.call(timeseriesRpc.store, { input, context: { requestId: 'test' } });
  return ticker;
};
