import {
  dirtyCells,
  type DirtyRows,
  dirtyDecimals,
  dirtyTickers,
  dirtyTimes,
  type PickOne,
  priceText,
  startUs,
  timeText,
  type Unit,
} from './dirty-quotes.js';

const columns = 'market id at venue_at price size taker outcome error'.split(' ');

/** Trades with every kind of dirt. One in `rarely` rows has a dirty cell. */
export const dirtyTrades = (seed: number, { rows: count = 400, rarely = 4 } = {}): DirtyRows => {
  const { below, pick, beginRow, dirty, unit, cents } = dirtyCells(seed, { columns: columns.length, rarely });
  const [hasOutcome, hasZone] = [below(2) === 0, below(2) === 0];
  const time = (us: number): string =>
    unit === 'iso' && !hasZone ? timeText(us, unit).replace('T', ' ').slice(0, -1) : timeText(us, unit);
  const earlier: string[][] = [];
  const rows = Array.from({ length: count }, (_, index) => {
    beginRow();
    if (earlier.length > 0 && below(12) === 0) return repeated(pick(earlier), { pick, below, cents });
    const us = startUs + index * 250_000 + below(3) * 60_000_000;
    const row = [
      dirty(`KXQ-26FEB24-T${below(5)}`, dirtyTickers),
      dirty(`${below(1e6).toString(16)}-${index}-4000`, dirtyIds),
      dirty(below(3) === 0 ? '' : time(us), dirtyTimes),
      dirty(time(us - 4_000), dirtyTimes),
      dirty(priceText(below(101), cents), dirtyDecimals),
      dirty(`${1 + below(5_000)}${pick(['', '.5', '.25'])}`, [...dirtyDecimals, '0', '0.00', '0', '000']),
      dirty(pick(hasOutcome ? ['BUY', 'SELL', 'yes', ''] : ['yes', 'no', '']), ['x', ' yes ', 'BUY', 'YES', 'null']),
      dirty(pick(['Yes', 'No']), ['', ' ', 'Maybe', ' Yes', 'yes']),
      dirty('', [' ', 'timeout']),
    ];
    earlier.push(row);
    return row;
  });
  return { columns, rows, mapping: mappingOf({ unit, cents, hasOutcome, hasZone }) };
};

/** The same trade again, or with another price or size. */
const repeated = (
  row: readonly string[],
  how: { readonly pick: PickOne; readonly below: (limit: number) => number; readonly cents: boolean },
): string[] => {
  const at = how.pick([-1, 4, 5]);
  if (at < 0) return [...row];
  return row.with(at, at === 4 ? priceText(how.below(101), how.cents) : String(1 + how.below(9)));
};

const dirtyIds = [
  '',
  ' ',
  ' padded ',
  'with space',
  'back\\slash',
  'tab\there',
  'line\nfeed',
  'é-1',
  '日本-1',
  'x'.repeat(127),
  'x'.repeat(128),
  'x'.repeat(255),
  'x'.repeat(256),
  'é'.repeat(128),
  '0',
  '12345678901234567890',
  'quo"te',
];

const mappingOf = (how: { unit: Unit; cents: boolean; hasOutcome: boolean; hasZone: boolean }): string => {
  const time = `unit: ${how.unit}${how.unit === 'iso' && !how.hasZone ? ', assume_zone: UTC' : ''}`;
  const price = how.cents ? ', unit: cents' : '';
  const sides = how.hasOutcome
    ? `  outcome: { column: outcome, values: { 'Yes': 'yes', 'No': 'no' } }
  taker_side: { column: taker, values: { BUY: buy, SELL: sell } }
`
    : '  taker_side: { column: taker }\n';
  return `name: dirty-trades
match: { columns: [market, id, price, size] }
refuse_when: error
fields:
  ticker: { column: market }
  series: { ticker: '^([^-]+)-' }
  ts: { column: at, ${time} }
  venue_ts: { column: venue_at, ${time} }
  trade_id: { column: id }
  price: { column: price${price} }
  size: { column: size }
${sides}`;
};
