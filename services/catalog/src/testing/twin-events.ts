import {
  type CatalogueFact,
  type DatedField,
  datedFields,
  knowledgeBases,
  type KnowledgeBasis,
} from '@almanac/contracts';

const second = 1_000_000;
export const openUs = 1_771_992_900 * second;

type Random = () => number;
const pick = (random: Random, from: number, to: number): number => from + Math.floor(random() * (to - from));
const oneOf = <const T>(random: Random, values: readonly [T, ...T[]]): T =>
  values[pick(random, 0, values.length)] ?? values[0];

/** One source's statement of one value. Without a time, nothing tells when it was known. */
interface Statement {
  readonly market: number;
  readonly field: DatedField;
  readonly value: string | number;
  readonly known: { readonly us: number; readonly basis: KnowledgeBasis } | null;
}

const valueOf = (random: Random, field: DatedField): string | number => {
  switch (field) {
    case 'title':
      return oneOf(random, ['Title one', 'Title two', 'Título cuatro']);
    case 'venue_status':
      return oneOf(random, ['active', 'closed', 'settled']);
    case 'result':
      return oneOf(random, ['yes', 'no']);
    case 'open_us':
      return openUs;
    case 'close_us':
    case 'settlement_us':
      return openUs + pick(random, 2, 6) * 100 * second;
    case 'rules':
      return `Rules ${pick(random, 1, 3)}`;
    case 'tick_size':
      return JSON.stringify([['0', '1', oneOf(random, ['0.01', '0.001'])]]);
    case 'floor_strike':
    case 'coin_price_start':
    case 'expiration_value':
    case 'settlement_value':
      return (pick(random, 1, 4) * 100).toString();
  }
};

/** Statements of several sources about the markets of an event, with corrections, late facts and facts without a time. */
export const randomStatements = (random: Random): readonly Statement[] =>
  Array.from({ length: pick(random, 5, 60) }, () => {
    const field = oneOf(random, datedFields);
    const known =
      random() < 0.1
        ? null
        : { us: openUs + pick(random, -100, 900) * second, basis: oneOf<KnowledgeBasis>(random, knowledgeBases) };
    return { market: pick(random, 0, 4), field, value: valueOf(random, field), known };
  });

/** The knowledge time of a value: of the best basis, then the earliest. Written without the service's own rule. */
const knownUs = (all: readonly Statement[], { market, field, value }: Statement): number | null => {
  const same = all.filter((one) => one.market === market && one.field === field && one.value === value);
  for (const basis of knowledgeBases) {
    const times = same.flatMap(({ known }) => (known?.basis === basis ? [known.us] : []));
    if (times.length > 0) return Math.min(...times);
  }
  return null;
};

/** The values that the world could know at a time, with all their statements. */
export const knownBy = (all: readonly Statement[], asOfUs: number): readonly Statement[] =>
  all.filter((one) => (knownUs(all, one) ?? Infinity) <= asOfUs);

/** Each event has a series of its own, which a list can be limited to. */
export const seriesOf = (name: string): string => `S-${name}`;

/** The facts of an event `E-<name>`. Each states one value. The first of each market lists it. */
export const factsOf = (statements: readonly Statement[], name: string): CatalogueFact[] =>
  statements.map(({ market, field, value, known }): CatalogueFact => {
    const isState = field !== 'rules' && field !== 'tick_size';
    return {
      kind: 'market',
      ticker: `E-${name}-${market}`,
      event_ticker: `E-${name}`,
      series: seriesOf(name),
      category: 'crypto',
      strike_type: 'greater',
      ...(isState && { [field]: value }),
      history: [{ known_us: known?.us ?? null, basis: known?.basis ?? null, values: { [field]: String(value) } }],
    };
  });

/** What only the whole archive has: values that have no knowledge time, and the event's own title. */
export const undatedFacts = (statements: readonly Statement[], name: string): CatalogueFact[] => [
  ...[...new Set(statements.map(({ market }) => market))].map((market): CatalogueFact => ({
    kind: 'market',
    ticker: `E-${name}-${market}`,
    capture: 'l2',
    coin_price_end: '65000.5',
    open_price: { price: '1', us: openUs },
    last_price: { price: '2', us: openUs + 90 * second },
    trades: { n: 9, volume: '12.5' },
  })),
  { kind: 'event', event_ticker: `E-${name}`, title: 'The title of the venue' },
];

/** The series of the events. Its second fee is known 300 s after the first. */
export const seriesWithFees: CatalogueFact = {
  kind: 'series',
  id: 'KXBTC15M',
  label: 'Bitcoin',
  shape: 'rolling',
  fees: [
    { type: 'free', multiplier: null, known_us: openUs, basis: 'recorded', valid_from_us: null },
    { type: 'quadratic', multiplier: '1', known_us: openUs + 300 * second, basis: 'recorded', valid_from_us: null },
    // Nobody knew of it when it began.
    {
      type: 'flat',
      multiplier: '1',
      known_us: openUs + 800 * second,
      basis: 'recorded',
      valid_from_us: openUs + 350 * second,
    },
  ],
};
