import { coinNamed } from '@almanac/contracts';
import type { ColumnFacts } from './column-facts.js';

type Fits = (column: ColumnFacts) => boolean;

const isTime: Fits = ({ units, rightUnit }) => units.length > 0 || rightUnit !== null;
const isNumber: Fits = ({ isDecimal }) => isDecimal;
const isName: Fits = ({ isWordy, isDecimal, range }) => isWordy && (!isDecimal || (range?.[0].length ?? 0) > 15);
const isText: Fits = ({ values, isList }) => values > 0 && !isList;
/** Each value is a coin with its currency, such as `BTC-USD`. */
const isPair: Fits = ({ values, range }) =>
  values > 0 && (range ?? []).every((text) => /USD[TC]?$/i.test(text) && coinNamed(text) !== null);
const isList: Fits = (column) => column.isList;

/** Usual names of columns by field, the best first. */
const names = {
  ticker: [
    isName,
    'ticker',
    'market_ticker',
    'slug',
    'market_slug',
    'contract_id',
    'asset_id',
    'condition_id',
    'market',
    'market_id',
    'symbol',
  ],
  coin: [isPair, 'symbol', 'product_id', 'pair', 'instrument', 'coin', 's'],
  coin_price: [isNumber, 'price', 'close', 'last', 'px', 'value', 'p'],
  ts: [
    isTime,
    'received_at',
    'receive_time',
    'timestamp_received',
    'recv_ts_ns',
    'recv_ms',
    'recv_ts',
    'recv',
    'captured_at',
    'ts',
    'ts_ms',
    'ts_ns',
    'timestamp',
    'time',
    'datetime',
    'date',
  ],
  venue_ts: [isTime, 'venue_ts', 'exchange_ts', 'created_time', 'timestamp', 'ts'],
  trade_id: [isText, 'trade_id', 'tradeid', 'fill_id'],
  price: [isNumber, 'yes_price_dollars', 'yes_price', 'price', 'px'],
  size: [isNumber, 'count_fp', 'count', 'size', 'qty', 'quantity', 'amount', 'shares'],
  taker_side: [isText, 'taker_outcome_side', 'taker_side'],
  side: [isText, 'side'],
  yes_best_bid: [isNumber, 'yes_best_bid', 'yes_bid', 'best_bid', 'bid', 'bid_price'],
  yes_best_ask: [isNumber, 'yes_best_ask', 'yes_ask', 'best_ask', 'ask', 'ask_price'],
  yes_bids: [isList, 'yes_bids', 'bids'],
  yes_asks: [isList, 'yes_asks', 'asks'],
  no_bids: [isList, 'no_bids'],
  title: [isText, 'title', 'question'],
  event_ticker: [isText, 'event_ticker'],
  series: [isText, 'series', 'series_ticker'],
  venue_status: [isText, 'status'],
  result: [isText, 'result'],
  floor_strike: [isNumber, 'floor_strike', 'strike'],
  open_ts: [isTime, 'open_time', 'open_ts', 'start_date'],
  close_ts: [isTime, 'close_time', 'close_ts', 'end_date'],
} as const satisfies Readonly<Record<string, readonly [Fits, ...string[]]>>;

type Field = keyof typeof names;

const kinds: readonly { readonly needs: readonly Field[]; readonly fields: readonly Field[] }[] = [
  { needs: ['coin', 'coin_price', 'ts'], fields: ['coin', 'coin_price', 'ts'] },
  {
    needs: ['ticker', 'trade_id', 'price', 'size'],
    fields: ['ticker', 'trade_id', 'ts', 'venue_ts', 'price', 'size', 'taker_side'],
  },
  { needs: ['ticker', 'ts', 'side', 'price', 'size'], fields: ['ticker', 'ts', 'side', 'price', 'size'] },
  { needs: ['ticker', 'ts', 'yes_bids'], fields: ['ticker', 'ts', 'yes_bids', 'yes_asks', 'no_bids'] },
  { needs: ['ticker', 'ts', 'yes_best_bid'], fields: ['ticker', 'ts', 'yes_best_bid', 'yes_best_ask'] },
  {
    needs: ['ticker', 'close_ts'],
    fields: [
      'ticker',
      'event_ticker',
      'series',
      'title',
      'venue_status',
      'result',
      'floor_strike',
      'open_ts',
      'close_ts',
    ],
  },
];

const times: ReadonlySet<Field> = new Set(['ts', 'venue_ts', 'open_ts', 'close_ts']);
const prices: ReadonlySet<Field> = new Set(['price', 'yes_best_bid', 'yes_best_ask']);
const numbers: ReadonlySet<Field> = new Set([...prices, 'size', 'coin_price']);

/** A mapping in YAML that fits the obvious columns, or what is missing for one. */
export const suggestedMapping = (
  name: string,
  { columns, isTyped }: { readonly columns: readonly ColumnFacts[]; readonly isTyped: (column: string) => boolean },
): { readonly yaml: string } | { readonly missing: string; readonly unfit: readonly string[] } => {
  const frames = framesMapping(name, { columns, isTyped });
  if (frames !== null) return { yaml: frames };
  const found = new Map<Field, ColumnFacts>();
  for (const field of fieldNames) {
    const [fits, ...usual] = names[field];
    const best = usual.flatMap((wanted) =>
      columns.filter((column) => lastPart(column.name) === wanted && fits(column)),
    )[0];
    if (best) found.set(field, best);
  }
  // Whatever the only time of a file is called, its rows are of this time.
  const [time, ...furtherTimes] = columns.filter(isTime);
  if (time && furtherTimes.length === 0 && ![...found.values()].includes(time)) found.set('ts', time);
  const kind = kinds.find(({ needs }) => needs.every((field) => found.has(field)));
  if (!kind) return missingOf(found, columns);
  const used = kind.fields.flatMap((field) => {
    const column = found.get(field);
    return column ? [{ field, column }] : [];
  });
  // The only time of a row is when it was received.
  const distinct = used.filter(({ field, column }) => field !== 'venue_ts' || column !== found.get('ts'));
  const lines = distinct.map(({ field, column }) => `  ${field}: ${sourceOf(field, column, isTyped(column.name))}`);
  const match = distinct.map(({ column }) => quoted(column.name)).join(', ');
  const levels = distinct.some(({ field }) => field === 'side') ? wholeBooks : [];
  const zones = lines.some((line) => line.includes('assume_zone')) ? [guessedZone] : [];
  const head = [`name: ${quoted(name)}`, `match: { columns: [${match}] }`, 'fields:'];
  const yaml = [...head, ...zones, ...lines, ...levels].join('\n');
  return { yaml };
};

const guessedZone =
  '  # The times have no zone. UTC is a guess: if the recorder wrote its own clock, name its zone, such as America/New_York.';

const wholeBooks = [
  '  # The rows of one time are a whole book. If each row is a change, write level (its new size) or change (the difference).',
  '  book_event: { constant: snapshot }',
];

/** A mapping of a column with frames of a venue. */
const framesMapping = (
  name: string,
  { columns, isTyped }: { readonly columns: readonly ColumnFacts[]; readonly isTyped: (column: string) => boolean },
): string | null => {
  const frame = columns.find((column) => column.isFrame);
  if (!frame) return null;
  const [, ...usual] = names.ts;
  const outside = columns.filter((column) => isTime(column) && !column.name.startsWith(`${frame.name}.`));
  const received = usual.flatMap((wanted) => outside.filter((column) => lastPart(column.name) === wanted))[0];
  const match = [frame, ...(received ? [received] : [])].map((column) => quoted(column.name)).join(', ');
  const receipt = received ? `, received: ${sourceOf('ts', received, isTyped(received.name))}` : '';
  return [
    `name: ${quoted(name)}`,
    `match: { columns: [${match}] }`,
    `frame: { column: ${quoted(frame.name)}${receipt} }`,
  ].join('\n');
};

const isField = (name: string): name is Field => name in names;
const fieldNames = Object.keys(names).filter(isField);

/** Of `price_1e4`, whose integers are of `1e-4`. */
const scale = /_1e(\d{1,2})$/i;

const lastPart = (path: string): string => (path.split('.').at(-1) ?? path).toLowerCase().replace(scale, '');

const missingOf = (
  found: ReadonlyMap<Field, ColumnFacts>,
  columns: readonly ColumnFacts[],
): { readonly missing: string; readonly unfit: readonly string[] } => {
  const unfit = new Map(
    fieldNames.flatMap((field) => {
      const [, ...usual] = names[field];
      const named = columns.find(({ name, values }) => values > 0 && usual.some((one) => one === lastPart(name)));
      return named && !found.has(field) ? [[field, named] as const] : [];
    }),
  );
  const absent = (needs: readonly Field[]): readonly Field[] => needs.filter((field) => !found.has(field));
  const unnamed = (needs: readonly Field[]): readonly Field[] => absent(needs).filter((field) => !unfit.has(field));
  const nearest = kinds
    .filter(({ needs }) => needs.includes('ticker'))
    .map(({ needs }) => needs)
    .toSorted((a, b) => unnamed(a).length - unnamed(b).length || absent(a).length - absent(b).length)[0];
  return {
    missing: unnamed(nearest ?? []).join(', '),
    unfit: absent(nearest ?? []).flatMap((field) => {
      const { name, range } = unfit.get(field) ?? {};
      return name === undefined
        ? []
        : [`${name} is called like ${field}, but ${whyUnfit(field)}: ${[...new Set(range)].join(' to ')}`];
    }),
  };
};

const whyUnfit = (field: Field): string => {
  const [fits] = names[field];
  if (fits === isTime) return 'its values are not times of one unit';
  if (fits === isNumber) return 'not every value is a number with a point';
  return fits === isList ? 'its values are not lists' : 'not every value is a name';
};

const sourceOf = (field: Field, column: ColumnFacts, isTyped: boolean): string => {
  const parts = [`column: ${quoted(column.name)}`];
  const unit = column.units.includes('iso') ? 'iso' : column.units[0];
  // A typed column knows its unit, unless that is wrong.
  if (times.has(field) && !isTyped && unit !== undefined) parts.push(`unit: ${unit}`);
  if (times.has(field) && !isTyped && unit === 'iso' && !column.hasZone) parts.push('assume_zone: UTC');
  if (times.has(field) && column.rightUnit !== null) parts.push(`unit: ${column.rightUnit}`);
  const [, places] = scale.exec(column.name) ?? [];
  if (places !== undefined && numbers.has(field)) parts.push(`unit: 1e-${places}`);
  else if (prices.has(field) && Number(column.range?.[1] ?? 0) > 1) parts.push('unit: cents');
  return `{ ${parts.join(', ')} }`;
};

const quoted = (text: string): string => (/^[A-Za-z_][\w.-]*$/.test(text) ? text : JSON.stringify(text));
