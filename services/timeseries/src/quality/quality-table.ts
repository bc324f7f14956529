import type { MarketQuality, PeriodQuality } from '@almanac/contracts';
import type { ColumnKind, Table } from '../tables/table-sql.js';

/** The type of a value in JSON, and how a file shows it. A time is in seconds in JSON. */
const types = {
  text: ['Nullable(String)', 'text'],
  name: ['String', 'text'],
  time: ['Nullable(Float64)', 'time'],
  seconds: ['Nullable(Float64)', 'whole'],
  count: ['Nullable(UInt64)', 'whole'],
} as const satisfies Readonly<Record<string, readonly [string, ColumnKind]>>;

type Fields<Item> = { readonly [Name in keyof Item]: keyof typeof types };

/** A list of gaps does not fit into a cell, so a file has its figures. */
const marketFields: Fields<Omit<MarketQuality, 'gaps'>> = {
  ticker: 'name',
  event_ticker: 'text',
  title: 'text',
  status: 'text',
  open_ts: 'time',
  close_ts: 'time',
  covered_s: 'seconds',
  expected_s: 'seconds',
  covered_share: 'seconds',
  gaps_n: 'count',
  gap_s: 'seconds',
  longest_gap_s: 'seconds',
  rows: 'count',
  books: 'count',
  trades: 'count',
  first_ts: 'time',
  last_ts: 'time',
  book_quality: 'text',
};

const periodFields: Fields<PeriodQuality> = {
  start_ts: 'time',
  end_ts: 'time',
  markets_n: 'count',
  markets_with_gaps_n: 'count',
  covered_s: 'seconds',
  expected_s: 'seconds',
  covered_share: 'seconds',
  gaps_n: 'count',
  gap_s: 'seconds',
  rows: 'count',
  trades: 'count',
};

const valueOf = (name: string, type: keyof typeof types): string =>
  type === 'time'
    ? `fromUnixTimestamp64Micro(toInt64(round(item.${name} * 1000000))) AS ${name}`
    : `item.${name} AS ${name}`;

/** Items that are computed here, as a table. Params: items, their JSON. */
const tableOf = (fields: Readonly<Record<string, keyof typeof types>>): Table => {
  const entries = Object.entries(fields);
  const shape = entries.map(([name, type]) => `${name} ${types[type][0]}`).join(', ');
  return {
    columns: Object.fromEntries(entries.map(([name, type]) => [name, types[type][1]])),
    rows: `SELECT ${entries.map(([name, type]) => valueOf(name, type)).join(', ')}
FROM (SELECT arrayJoin(JSONExtract({items:String}, 'Array(Tuple(${shape}))')) AS item)`,
  };
};

export const qualityTables = { markets: tableOf(marketFields), periods: tableOf(periodFields) } as const;
