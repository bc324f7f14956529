import { observationFields, venueCandlePrices, venueCandleSizes } from '@almanac/contracts';

/** What every row of a file is, from the fields of its mapping. */
export type RowKind = 'market' | 'observation' | 'book' | 'level' | 'trade' | 'candle' | 'fee' | 'coin';

interface Ruled {
  readonly frame?: unknown;
  readonly expand?: unknown;
  readonly cadence?: unknown;
  readonly refuse_when?: unknown;
  readonly fields: {
    readonly seq?: { readonly within?: unknown } | undefined;
    readonly ticker?: object | undefined;
  } & Fields;
}

type Fields = Readonly<Record<string, unknown>>;

export interface RowFault {
  readonly path: readonly string[];
  readonly message: string;
}

const wholeBook = ['yes_bids', 'yes_asks', 'no_bids', 'no_asks'] as const;

/** A market has neither a time nor an id of its own. */
export const rowKindOf = (fields: Fields): RowKind => {
  const given = givenIn(fields);
  if (given.has('trade_id')) return 'trade';
  if (given.has('candle_end_ts')) return 'candle';
  if (given.has('book_event')) return 'level';
  if (given.has('fee_type')) return 'fee';
  if (given.has('coin')) return 'coin';
  if (wholeBook.some((name) => given.has(name))) return 'book';
  return given.has('ts') ? 'observation' : 'market';
};

const givenIn = (fields: Fields): ReadonlySet<string> =>
  new Set(Object.keys(fields).filter((name) => fields[name] !== undefined));

const plural: Readonly<Record<RowKind, string>> = {
  market: 'markets',
  observation: 'observations',
  book: 'whole books',
  level: 'levels of books',
  trade: 'trades',
  candle: 'venue candles',
  fee: 'fees',
  coin: 'prices of coins',
};

const candleFields = ['candle_period', 'candle_source', ...venueCandlePrices, ...venueCandleSizes];

/** Fields that only rows of these kinds have. All other fields describe the market of a row. */
const kindsOf: Readonly<Record<string, readonly RowKind[]>> = {
  ...Object.fromEntries(observationFields.map((name) => [name, ['observation']])),
  ts: ['observation', 'book', 'level', 'trade', 'coin'],
  venue_ts: ['observation', 'book', 'level', 'trade'],
  seq: ['observation', 'book', 'level'],
  coin: ['coin'],
  coin_price: ['observation', 'book', 'coin'],
  ...Object.fromEntries(wholeBook.map((name) => [name, ['book']])),
  outcome: ['book', 'level', 'trade'],
  book_event: ['level'],
  side: ['level'],
  message: ['level'],
  price: ['trade', 'level'],
  size: ['trade', 'level'],
  taker_side: ['trade'],
  trade_id: ['trade'],
  fee_type: ['fee'],
  fee_multiplier: ['fee'],
  fee_from_ts: ['fee'],
  known_ts: ['market', 'fee', 'candle'],
  ...Object.fromEntries(candleFields.map((name) => [name, ['candle']])),
  rules: ['market'],
  tick_size: ['market'],
  condition: ['market'],
  yes_token: ['market'],
  no_token: ['market'],
};

/** A fee is of a series, and its row has no market. */
const fieldsOfFees: ReadonlySet<string> = new Set(['series', 'fee_type', 'fee_multiplier', 'fee_from_ts', 'known_ts']);

/** A coin's price belongs to no market. */
const fieldsOfCoins: ReadonlySet<string> = new Set(['coin', 'coin_price', 'ts']);

/** Rows without a market have no other fields. */
const fieldsWithoutMarket: { readonly [Kind in RowKind]?: ReadonlySet<string> } = {
  fee: fieldsOfFees,
  coin: fieldsOfCoins,
};

const needed: Readonly<Record<RowKind, readonly string[]>> = {
  market: ['ticker'],
  observation: ['ticker'],
  trade: ['ticker', 'price', 'size'],
  level: ['ticker', 'ts', 'side', 'price', 'size'],
  book: ['ticker', 'ts'],
  candle: ['ticker', 'candle_period'],
  fee: ['series'],
  coin: ['coin_price', 'ts'],
};

/** The field that would make a row of that kind. */
const markOf: Readonly<Record<Exclude<RowKind, 'market'>, string>> = {
  observation: 'ts',
  book: 'yes_bids',
  level: 'book_event',
  trade: 'trade_id',
  candle: 'candle_end_ts',
  fee: 'fee_type',
  coin: 'coin',
};

/** What is wrong with the fields of a mapping together. */
export const rowFaults = (mapping: Ruled): readonly RowFault[] => {
  const kind = rowKindOf(mapping.fields);
  const given = givenIn(mapping.fields);
  const faults: RowFault[] = [];
  const fault = (message: string, ...path: readonly string[]): void => void faults.push({ path, message });
  if (mapping.frame !== undefined) {
    for (const key of ['expand', 'cadence', 'refuse_when'] as const)
      if (mapping[key] !== undefined) fault('is not for frames', key);
    for (const name of given) fault('is not for frames', 'fields', name);
    return faults;
  }
  for (const name of given) {
    const kinds = kindsOf[name];
    if (fieldsWithoutMarket[kind]?.has(name) === false) fault(`is not for ${plural[kind]}`, 'fields', name);
    else if (kinds !== undefined && !kinds.includes(kind)) fault(misplaced(kind, kinds), 'fields', name);
  }
  for (const name of needed[kind]) if (!given.has(name)) fault('is missing', 'fields', name);
  if (kind === 'trade' && !given.has('ts') && !given.has('venue_ts'))
    fault('needs the field ts or venue_ts', 'fields', 'trade_id');
  const { ticker } = mapping.fields;
  const of = ticker !== undefined && 'of' in ticker ? ticker.of : undefined;
  if (of !== undefined && mapping.expand !== undefined)
    fault('is not for rows of several markets', 'fields', 'ticker', 'of');
  if (of === 'token' && (kind === 'observation' || kind === 'market'))
    fault(`token is not for ${plural[kind]}`, 'fields', 'ticker', 'of');
  if (mapping.cadence !== undefined && kind === 'market') fault('needs the field ts', 'cadence');
  else if (mapping.cadence !== undefined && kind !== 'observation' && kind !== 'book')
    fault(`is not for ${plural[kind]}`, 'cadence');
  if (kind === 'level') levelFaults(mapping, given, fault);
  else if (mapping.fields.seq?.within !== undefined) fault('needs the field book_event', 'fields', 'seq', 'within');
  return faults;
};

const misplaced = (kind: RowKind, kinds: readonly RowKind[]): string => {
  const marks = kinds.flatMap((one) => (one === 'market' ? [] : [markOf[one]]));
  const isOpen = kind === 'market' || (kind === 'observation' && !kinds.includes('market'));
  if (!isOpen) return `is not for ${plural[kind]}`;
  return `needs the field ${marks[0] === 'ts' ? 'ts' : marks.join(' or ')}`;
};

/** Changes follow each other, so a wide row and a number without a meaning would make wrong books. */
const levelFaults = (
  { expand, fields }: Ruled,
  given: ReadonlySet<string>,
  fault: (message: string, ...path: readonly string[]) => void,
): void => {
  if (expand !== undefined) fault('is not for levels of books', 'expand');
  if (given.has('seq') && fields.seq?.within === undefined)
    fault('is missing: market or file, within which the number counts by one', 'fields', 'seq', 'within');
};
