import type { CatalogueFact, DatedField, KnownValues, RecordedSpan } from '@almanac/contracts';
import { type CoinPath, coinPath, yesCents } from './coin.js';
import { randomFrom, seedOf } from './random.js';
import type { GeneratedRow } from './row.js';

export interface GeneratedArchive {
  readonly facts: readonly CatalogueFact[];
  /** Generated while they are read, market by market. */
  readonly rows: Iterable<GeneratedRow>;
  /** Rows at multiples of so many seconds come with a trade. Default none. */
  readonly tradesEveryS?: number;
  /** Markets without a span have a recording of unknown completeness. */
  readonly spans?: readonly RecordedSpan[];
}

type MarketFact = Extract<CatalogueFact, { kind: 'market' }>;

const quarterS = 900;
const hourS = 3_600;
const crypto = { category: 'crypto', category_label: 'Crypto' };
const economics = { category: 'economics', category_label: 'Economics' };

/**
 * A small demo archive, dated around `nowS` (Unix seconds) and identical within a quarter of an hour: a rolling
 * 15-minute coin series with full books, an hourly strike ladder, and one event with text titles. Its titles say that
 * it is generated.
 */
export const generateArchive = (nowS: number): GeneratedArchive => {
  const quarter = Math.floor(nowS / quarterS) * quarterS;
  const coin = coinPath(quarter - 25 * hourS, quarter + 2 * hourS);
  const archives = [rollingSeries(quarter, nowS, coin), strikeLadder(quarter, nowS, coin), textEvent(quarter, nowS)];
  const facts = archives.flatMap((part) => part.facts).map((fact) => (fact.kind === 'market' ? dated(fact) : fact));
  return {
    facts,
    rows: chain(archives.map((part) => part.rows)),
    tradesEveryS: 20,
    spans: facts.flatMap((fact) => (fact.kind === 'market' ? spansOf(fact, nowS) : [])),
  };
};

/** The values of a market are known from its open, and those of the settlement from then. */
const dated = (market: MarketFact): MarketFact => {
  const valuesOf = (names: readonly (DatedField & keyof MarketFact)[]): KnownValues['values'] =>
    Object.fromEntries(names.flatMap((name) => (market[name] == null ? [] : [[name, String(market[name])]])));
  const knownAt = (us: number | null | undefined, values: KnownValues['values']): KnownValues[] =>
    us == null || Object.keys(values).length === 0 ? [] : [{ known_us: us, basis: 'venue', values }];
  return {
    ...market,
    history: [
      ...knownAt(market.open_us, valuesOf(['title', 'open_us', 'close_us', 'floor_strike', 'coin_price_start'])),
      ...knownAt(market.settlement_us, valuesOf(['result', 'settlement_us', 'expiration_value'])),
    ],
  };
};

/** A generated recording is complete from the open to the close, or to now. */
const spansOf = (market: MarketFact, nowS: number): readonly RecordedSpan[] => {
  const { ticker, capture, open_us, close_us } = market;
  if (open_us == null || close_us == null) return [];
  const isOver = close_us <= nowS * 1e6;
  const span = {
    ticker,
    layer: capture === 'l2' ? 'l2' : 'top',
    start_us: open_us,
    tolerance_us: 0,
    sample_us: null,
    basis: null,
    clock: null,
  } as const;
  return [{ ...span, end_us: isOver ? close_us : nowS * 1e6, end_reason: isOver ? null : 'the recording ended' }];
};

function* chain(archives: readonly Iterable<GeneratedRow>[]): Generator<GeneratedRow> {
  for (const part of archives) yield* part;
}

/** `26NOV201130`, in UTC. */
const stamp = (second: number): string => {
  const [, day = '', month = '', year = '', hour = '', minute = ''] =
    /(\d\d) (\w{3}) \d\d(\d\d) (\d\d):(\d\d)/.exec(new Date(second * 1_000).toUTCString()) ?? [];
  return `${year}${month.toUpperCase()}${day}${hour}${minute}`;
};

const clock = (second: number): string =>
  `${new Date(second * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

interface CoinMarket {
  readonly ticker: string;
  readonly series: string;
  readonly openS: number;
  readonly closeS: number;
  readonly strike: number;
  readonly everyS: number;
  readonly books: boolean;
}

const rollingSeries = (quarter: number, nowS: number, coin: CoinPath): GeneratedArchive => {
  const series = 'GENBTC15M';
  const markets = Array.from({ length: 24 }, (_, index): CoinMarket => {
    const openS = quarter - (23 - index) * quarterS;
    const closeS = openS + quarterS;
    const ticker = `${series}-${stamp(closeS)}-${stamp(closeS).slice(-2)}`;
    return { ticker, series, openS, closeS, strike: coin.at(openS), everyS: 2, books: true };
  });
  const facts = markets.flatMap((market): CatalogueFact[] => [
    {
      kind: 'event',
      event_ticker: `${series}-${stamp(market.closeS)}`,
      series,
      category: crypto.category,
      title: `Generated: coin price up in the 15 minutes to ${clock(market.closeS)}?`,
    },
    coinFact(market, {
      nowS,
      coin,
      event: `${series}-${stamp(market.closeS)}`,
      title: 'Generated: price up in 15 minutes?',
    }),
  ]);
  const label = 'Generated: coin up or down, 15 minutes';
  return {
    facts: [{ kind: 'series', id: series, label, shape: 'rolling', ...crypto }, ...facts],
    rows: coinRows(markets, nowS, coin),
  };
};

const strikeLadder = (quarter: number, nowS: number, coin: CoinPath): GeneratedArchive => {
  const series = 'GENBTCH';
  const hour = Math.floor(quarter / hourS) * hourS;
  const hours = Array.from({ length: 6 }, (_, index) => hour - (5 - index) * hourS);
  const facts: CatalogueFact[] = [
    { kind: 'series', id: series, label: 'Generated: coin price at the hour', ...crypto },
  ];
  const markets: CoinMarket[] = [];
  for (const openS of hours) {
    const closeS = openS + hourS;
    const event = `${series}-${stamp(closeS).slice(0, -2)}`;
    const title = `Generated: coin price at ${clock(closeS)}`;
    facts.push({ kind: 'event', event_ticker: event, series, category: crypto.category, title });
    for (let step = -4; step <= 4; step += 1) {
      const strike = 95_999.99 + step * 100;
      const ticker = `${event}-T${strike.toFixed(2)}`;
      const market = { ticker, series, openS, closeS, strike, everyS: 10, books: false };
      markets.push(market);
      facts.push(coinFact(market, { nowS, coin, event, title: `Generated: at or above ${strike.toFixed(2)}?` }));
    }
  }
  return { facts, rows: coinRows(markets, nowS, coin) };
};

const coinFact = (
  market: CoinMarket,
  { nowS, coin, event, title }: { nowS: number; coin: CoinPath; event: string; title: string },
): CatalogueFact => {
  const { ticker, series, openS, closeS, strike } = market;
  const end = coin.at(closeS);
  const settled = {
    result: end >= strike ? 'yes' : 'no',
    expiration_value: end.toFixed(2),
    coin_price_end: end.toFixed(2),
    settlement_us: (closeS + 13) * 1e6,
  };
  return {
    kind: 'market',
    ticker,
    series,
    event_ticker: event,
    title,
    ...crypto,
    capture: market.books ? 'l2' : 'top',
    strike_type: 'greater_or_equal',
    floor_strike: strike.toFixed(2),
    open_us: openS * 1e6,
    close_us: closeS * 1e6,
    coin_price_start: coin.at(openS).toFixed(2),
    ...(closeS <= nowS ? settled : {}),
  };
};

function* coinRows(markets: readonly CoinMarket[], nowS: number, coin: CoinPath): Generator<GeneratedRow> {
  for (const { ticker, series, openS, closeS, strike, everyS, books } of markets) {
    const random = randomFrom(seedOf(ticker));
    for (let second = openS; second < Math.min(closeS, nowS); second += everyS) {
      const coinPrice = coin.at(second);
      const mid = yesCents(coinPrice, strike, closeS - second);
      const bidCents = Math.max(1, mid - 1);
      const askCents = Math.min(99, Math.max(bidCents + 1, mid + 1));
      const sizes = books ? Array.from({ length: 10 }, () => 10 + Math.floor(random() * 490)) : null;
      yield { ticker, series, second, bidCents, askCents, coinPrice, sizes };
    }
  }
}

const textEvent = (quarter: number, nowS: number): GeneratedArchive => {
  const series = 'GENRATE';
  const event = 'GENRATE-NEXT';
  const openS = quarter - 24 * hourS;
  const closeS = quarter + 30 * 24 * hourS;
  const choices = [
    { ticker: `${event}-HOLD`, title: 'Generated: the central bank holds its rate at the next meeting', cents: 62 },
    { ticker: `${event}-CUT25`, title: 'Generated: the central bank cuts its rate by a quarter point', cents: 29 },
    { ticker: `${event}-CUT50`, title: 'Generated: the central bank cuts its rate by half a point or more', cents: 5 },
    { ticker: `${event}-HIKE`, title: 'Generated: the central bank raises its rate', cents: 4 },
  ];
  const times = { open_us: openS * 1e6, close_us: closeS * 1e6 };
  const markets = choices.map(({ ticker, title }): CatalogueFact => {
    return { kind: 'market', ticker, series, event_ticker: event, title, ...economics, capture: 'top', ...times };
  });
  const title = 'Generated: what does the central bank decide at its next meeting?';
  const facts: CatalogueFact[] = [
    { kind: 'series', id: series, label: 'Generated: central bank decisions', ...economics },
    { kind: 'event', event_ticker: event, series, category: economics.category, title },
    ...markets,
  ];
  return { facts, rows: textRows(choices, { series, openS, nowS }) };
};

function* textRows(
  choices: readonly { ticker: string; cents: number }[],
  { series, openS, nowS }: { series: string; openS: number; nowS: number },
): Generator<GeneratedRow> {
  for (const { ticker, cents } of choices) {
    const random = randomFrom(seedOf(ticker));
    let mid = cents;
    for (let second = openS; second < nowS; second += 60) {
      mid = Math.max(2, Math.min(97, mid + Math.round((random() - 0.5) * 1.4)));
      yield { ticker, series, second, bidCents: mid - 1, askCents: mid + 1, coinPrice: null, sizes: null };
    }
  }
}
