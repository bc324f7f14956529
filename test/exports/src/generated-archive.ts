import { type CatalogueFact, venueCandlePrices, venueCandleSizes } from '@almanac/contracts';

/** Midnight between the two days on which the generated markets were open, and the next day. */
export const day = '2026-02-25';
export const midnightUs = 1_771_977_600_000_000;
export const dayUs = 86_400_000_000;
const minuteUs = 60_000_000;

/** Ids that test quoting, paths and subjects. */
export const series = 'KXMÄDE "15M", 日本';
export const event = 'KXMÄDE-26FEB25.1, "first"';
export const market = `${event}-T95999.99`;
const quoted = `${event}-Ü "q", \\ it's 😀`;
const withBooks = `${event}-a/b..%41`;
const unknown = `${event}-~UNKNOWN`;
const candled = `${event}-~CANDLES`;

/** Texts in the form that ClickHouse accepts: exact decimals, and times in microseconds. */
export interface GeneratedRow {
  readonly ticker: string;
  readonly us: number;
  readonly venueUs: number | null;
  readonly seq: string | null;
  readonly bid: string | null;
  readonly ask: string | null;
  readonly coin: string | null;
  /** Bids of each side, best first; null without a book. */
  readonly books: readonly [yes: Level[], no: Level[]] | null;
}
export interface GeneratedCandle {
  readonly ticker: string;
  readonly startUs: number;
  /** In the order of `venueCandlePrices` and `venueCandleSizes`. */
  readonly values: readonly (string | null)[];
}
type Level = readonly [price: string, size: string];

const times = { open_us: midnightUs - 10 * minuteUs, close_us: midnightUs + 5 * minuteUs };
const fact = (ticker: string, more: Partial<CatalogueFact & { kind: 'market' }>): CatalogueFact => ({
  kind: 'market',
  ticker,
  series,
  event_ticker: event,
  title: `Is ${ticker} right?`,
  ...more,
});

export const facts: readonly CatalogueFact[] = [
  fact(market, {
    ...times,
    capture: 'l2',
    result: 'yes',
    venue_status: 'finalized',
    settlement_us: midnightUs + 6 * minuteUs + 1,
    floor_strike: '95999.99',
    strike_type: 'greater_or_equal',
    coin_price_start: '0.00000001',
    coin_price_end: '9999999.99999999',
    expiration_value: '-0.5',
  }),
  fact(quoted, {
    ...times,
    close_us: times.close_us + 999_999,
    result: 'no,\r\n"maybe"\n',
    strike_type: 'größer, "gleich"; \\n \u2028 <&>',
    floor_strike: '100',
    // The source gives no price, so the API shows those observed near the open and the close.
    open_price: { price: '65541.895', us: times.open_us - 1 },
    last_price: { price: '65541.1', us: times.close_us },
  }),
  fact(`${event}-SILENT`, times),
  fact(withBooks, { ...times, close_us: 4_000_000_000_000_000, venue_status: 'active', capture: 'l2' }),
  fact(unknown, { title: null }),
  fact(candled, { ...times, close_us: midnightUs + 60 * minuteUs }),
  // Of the same series and day, but another event.
  fact('KXMÄDE-OTHER-E-1', { event_ticker: 'KXMÄDE-OTHER-E', ...times, result: 'no', settlement_us: midnightUs }),
  // Outside of every target: another day, another series.
  fact('KXMÄDE-EARLY-1', {
    event_ticker: 'KXMÄDE-EARLY',
    open_us: midnightUs - dayUs,
    close_us: midnightUs,
  }),
  fact('KXELSE-1', { event_ticker: 'KXELSE', series: 'KXELSE', ...times }),
];

/** Numbers that are the same in every run: 48271 is Park and Miller's multiplier. */
const numbers = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
};

const rowsMany = 5_600;

/** Prices of all lengths and fractional sizes, each of them sometimes missing. */
const manyRows = (): GeneratedRow[] => {
  const below = numbers(42);
  const maybe = (text: string, one: number): string | null => (below(one) === 0 ? null : text);
  const decimal = (integerPart: number, digits: number): string =>
    `${below(integerPart)}.${String(below(10 ** digits))}`;
  const side = (): Level[] =>
    Array.from({ length: below(6) }, (_, level) => [
      `0.${90 - level * 7}${below(10_000)}`,
      decimal(1_000, 1 + below(6)),
    ]);
  const row = (us: number): GeneratedRow => ({
    ticker: market,
    us,
    venueUs: below(3) === 0 ? null : us - below(2_000_000),
    seq: maybe(String(below(2_000_000_000) * 4_194_304 + below(4_194_304)), 9),
    bid: maybe(decimal(1, 1 + below(6)), 7),
    ask: maybe(decimal(1, 1 + below(6)), 7),
    coin: maybe(decimal(9_999_999, 1 + below(8)), 5),
    books: below(4) === 0 ? null : [side(), side()],
  });
  const rows: GeneratedRow[] = [];
  // Rows from before the open until after the close, some a microsecond apart.
  for (let us = times.open_us - minuteUs; rows.length < rowsMany; us += 1 + below(2) * below(400_000))
    rows.push(row(us));
  return rows;
};

const bare = { venueUs: null, seq: null, bid: null, ask: null, coin: null, books: null };

export const generatedRows = (): GeneratedRow[] => [
  ...manyRows(),
  // The last microsecond before the day, its first and its last, and the first after it.
  ...[-1, 0, dayUs - 1, dayUs].map((offset) => ({ ...bare, ticker: quoted, us: midnightUs + offset, bid: '0' })),
  { ...bare, ticker: quoted, us: midnightUs + 1, bid: '0.000001', ask: '1', seq: '9007199254740991', coin: '0.1' },
  { ...bare, ticker: withBooks, us: midnightUs + 7, books: [[], []] },
  { ...bare, ticker: withBooks, us: midnightUs + 8, books: [[['0.999999', '99999999.999999']], []] },
  { ...bare, ticker: withBooks, us: midnightUs + 9 },
  { ...bare, ticker: unknown, us: midnightUs + 60 * minuteUs },
  { ...bare, ticker: 'KXMÄDE-OTHER-E-1', us: midnightUs + 1, bid: '0.51', ask: '0.52' },
  { ...bare, ticker: 'KXMÄDE-EARLY-1', us: midnightUs - minuteUs, bid: '0.3' },
  { ...bare, ticker: 'KXELSE-1', us: midnightUs + 1, bid: '0.4' },
];

/** The period of all generated candles. */
export const candleUs = minuteUs;

/**
 * Candles of a market without anything else, with a hole, at both sides of midnight and with values of all lengths. And
 * some of a market with observations in other minutes.
 */
export const generatedCandles = (): GeneratedCandle[] => {
  const below = numbers(125);
  const values = (): (string | null)[] => [
    ...venueCandlePrices.map(() => (below(6) === 0 ? null : `0.${below(1_000_000)}`)),
    ...venueCandleSizes.map(() => (below(6) === 0 ? null : `${below(1_000_000_000)}.${below(1_000_000)}`)),
  ];
  const minutes = Array.from({ length: 40 }, (_, index) => index - 10).filter((index) => index !== 7);
  return [
    ...minutes.map((index) => ({ ticker: candled, startUs: midnightUs + index * minuteUs, values: values() })),
    ...[2, 3].map((index) => ({ ticker: quoted, startUs: midnightUs + index * minuteUs, values: values() })),
  ];
};
