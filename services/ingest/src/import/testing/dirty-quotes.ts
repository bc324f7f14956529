import { seededRandom } from '@almanac/testing';

/** Rows with every kind of dirt that a source can have. */
export interface DirtyRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly mapping: string;
}

const quoteColumns = 'market at venue_at number bid ask coin bid_size ask_size strike error'.split(' ');

export type PickOne = <T>(values: readonly T[]) => T;

export const startUs = 1_771_993_200_000_000;
const units = ['us', 'ms', 's', 'iso'] as const;
export type Unit = (typeof units)[number];

/** What rows of any kind are made with. One in `rarely` rows has a dirty cell, which alone decides what becomes of its row. */
export const dirtyCells = (
  seed: number,
  { columns, rarely }: { readonly columns: number; readonly rarely: number },
) => {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick: PickOne = (values) => values[below(values.length)] ?? assertNever();
  let [column, dirtyColumn] = [0, -1];
  return {
    below,
    pick,
    beginRow: (): void => {
      [column, dirtyColumn] = [0, below(rarely) === 0 ? below(columns) : -1];
    },
    /** The next cell of the row. */
    dirty: (clean: string, dirt: readonly string[]): string => (column++ === dirtyColumn ? pick(dirt) : clean),
    unit: units[(seed + Math.floor(seed / units.length)) % units.length] ?? assertNever(),
    cents: below(2) === 0,
  };
};

/** Quotes with every kind of dirt. */
export const dirtyQuotes = (seed: number, { rows: count = 400, rarely = 4 } = {}): DirtyRows => {
  const { below, pick, beginRow, dirty, unit, cents } = dirtyCells(seed, { columns: quoteColumns.length, rarely });
  const last = new Map<string, readonly string[]>();
  const rows = Array.from({ length: count }, (_, index) => {
    beginRow();
    const market = dirty(`KXQ-26FEB24-T${below(5)}`, dirtyTickers);
    const before = last.get(market);
    if (before && below(15) === 0) return below(2) === 0 ? before : before.with(4, priceText(below(101), cents));
    const us = startUs + index * 250_000 + below(3) * 60_000_000;
    const row = [
      market,
      dirty(timeText(us, unit), dirtyTimes),
      dirty(timeText(us - 4_000, unit), dirtyTimes),
      dirty(String(index), dirtyIntegers),
      dirty(priceText(below(101), cents), dirtyDecimals),
      dirty(priceText(below(101), cents), dirtyDecimals),
      dirty((65_000 + below(10_000) / 100).toFixed(2), dirtyDecimals),
      dirty(String(below(5_000)), dirtyDecimals),
      dirty(`${below(5_000)}.5`, dirtyDecimals),
      dirty('65434.98', ['', '65434.98', '65500', 'x', '65434.999999', '1.123456789']),
      dirty('', [' ', 'timeout']),
    ];
    last.set(market, row);
    return row;
  });
  return {
    columns: quoteColumns,
    rows,
    mapping: mappingOf({ unit, cents, noise: below(2) === 0, decimals: pick([0, 2, 12]) }),
  };
};

const assertNever = (): never => {
  throw new Error('a list of values is empty');
};

export const priceText = (cents: number, inCents: boolean): string =>
  inCents ? String(cents) : (cents / 100).toFixed(2);

export const timeText = (us: number, unit: Unit): string => {
  if (unit === 'iso')
    return `${new Date(us / 1_000).toISOString().slice(0, -1)}${String(us % 1_000).padStart(3, '0')}Z`;
  if (unit === 'us') return String(us);
  return unit === 'ms' ? String(us / 1_000) : `${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, '0')}`;
};

export const dirtyTickers = [
  '',
  ' ',
  ' KXQ-26FEB24-T1 ',
  'KXQ-é-1',
  `K${'X'.repeat(260)}`,
  'KXQ',
  'KX,Q-1',
  'KXQ"1',
  'KXQ-a\nb',
];

export const dirtyTimes =
  `| |0|000|x|-1|1771993200|1771993200.5|1771993200.1234567|1771993200123|1771993200123.5|1771993200123456|
1771993200123456789|1771993200123456.7|99999999999999999|2026-02-25T04:20:00Z|2026-02-25T04:20:00.1234567Z|
2026-02-25 04:20:00Z|2026-02-30T04:20:00Z|2026-04-31T04:20:00Z|2025-02-29T04:20:00Z|2026-06-31T00:00:00.5Z|2026-02-25T04:20:00|2026-02-25T04:20:00.5+00:00|2026-02-25T24:00:00Z|
2026-02-25T04:20Z|1971-01-01T00:00:00Z|2026-02-25T04:20:00.12+01:00|2026-02-25T04:20:60Z| 1771993200 |1e9|.5|5.|
2100-01-01T00:00:00Z|2026-02-25T04:20:00.1234560Z|2026-02-25T04:20:00.Z|1771993200.000000000`
    .replaceAll('\n', '')
    .split('|');

const dirtyIntegers = ['', ' ', '-1', '1.0', '007', '9007199254740993', '12345678901234567', 'x', '1e3', '0'];

export const dirtyDecimals =
  `| |x|-0.1|-0|+5|.5|5.|.|1e-3|1e3|1.0000001|0.1234567|0.123456789|00.50|101|1.01|1234567890123|
12345678901|99999999999.5|65573.369999|61234.109999|3999.989999|1234.5699999|1.369999|0.30000000000000004|NaN|Infinity|-5| 0.5 |4503599627.370497|
0.000001|0.00000001|1,5|0x1|1.|9999999999|45035997.12345678|0.5000000`
    .replaceAll('\n', '')
    .split('|');

const mappingOf = (how: { unit: Unit; cents: boolean; noise: boolean; decimals: number }): string => {
  const price = how.cents ? ', unit: cents' : '';
  const coin = `${how.noise ? ', float_noise: true' : ''}${how.decimals === 0 ? '' : `, decimals: ${how.decimals}`}`;
  return `name: dirty-quotes
match: { columns: [market, at, bid, ask] }
refuse_when: error
cadence: { every: 1s, tolerance: 3x }
fields:
  ticker: { column: market }
  series: { ticker: '^([^-]+)-' }
  ts: { column: at, unit: ${how.unit} }
  venue_ts: { column: venue_at, unit: ${how.unit} }
  seq: { column: number }
  yes_best_bid: { column: bid${price} }
  yes_best_ask: { column: ask${price} }
  coin_price: { column: coin${coin} }
  yes_best_bid_size: { column: bid_size }
  yes_best_ask_size: { column: ask_size }
  floor_strike: { column: strike, float_noise: true }
  close_ts: { row_time_plus: { column: number, unit: s, round_to: 15m } }
  open_ts: { before_close: 15m }
`;
};
