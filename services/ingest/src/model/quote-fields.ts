import { mapNames, type ObservationField, observationFields } from '@almanac/contracts';
import { decimalsMax } from '../values/stored-values.js';

/** How the values of a kind are stored, and what a cell is that has none. */
const kinds = {
  time: { type: "DateTime64(6, 'UTC')", as: 'us', bytes: 8, fault: 'not a whole time' },
  whole: { type: 'UInt64', as: 'integer', bytes: 8, fault: 'not a whole number' },
  price: { type: 'Decimal(9, 6)', as: decimalsMax.price, bytes: 4, fault: 'not a price from 0 to 1' },
  value: { type: 'Decimal(18, 8)', as: decimalsMax.value, bytes: 8, fault: 'not a decimal number' },
  size: { type: 'Decimal(18, 6)', as: decimalsMax.price, bytes: 8, fault: 'not a size from 0' },
} as const;

/** What each column of an observation is called here, and its kind. */
const byColumn = {
  venue_ts: { name: 'venueUs', kind: 'time' },
  seq: { name: 'seq', kind: 'whole' },
  yes_best_bid: { name: 'bid', kind: 'price' },
  yes_best_ask: { name: 'ask', kind: 'price' },
  coin_price: { name: 'coinPrice', kind: 'value' },
  yes_best_bid_size: { name: 'bidSize', kind: 'size' },
  yes_best_ask_size: { name: 'askSize', kind: 'size' },
} as const satisfies Readonly<Record<ObservationField, { readonly name: string; readonly kind: keyof typeof kinds }>>;

type Described = (typeof byColumn)[ObservationField];
export type QuoteName = Described['name'];
type NameOf<Kind> = Extract<Described, { readonly kind: Kind }>['name'];

type ColumnOf<Kind> = {
  readonly [Column in ObservationField]: (typeof byColumn)[Column]['kind'] extends Kind ? Column : never;
}[ObservationField];
type DecimalColumn = ColumnOf<'price' | 'value' | 'size'>;

/** The values of a quote, null if unknown. Times are microseconds, decimals exact texts. */
export type QuoteValues = {
  readonly [Name in QuoteName]: (Name extends NameOf<'time' | 'whole'> ? number : string) | null;
};
/** A value that is absent is unknown. */
export type QuoteRow = { readonly us: number } & Partial<QuoteValues>;

/** The fields of a quote after its time, in the order of the columns of a batch. */
export const quoteFields = observationFields.map((column) => {
  const { name, kind } = byColumn[column];
  return { column, name, kind, ...kinds[kind] };
});
export type QuoteField = (typeof quoteFields)[number];

export const fieldsOfBatch = (columns: 'top' | 'top_sizes'): readonly QuoteField[] =>
  quoteFields.filter(({ kind }) => columns === 'top_sizes' || kind !== 'size');

export const mapQuote = <Value>(valueOf: (name: QuoteName) => Value): Record<QuoteName, Value> =>
  mapNames(
    quoteFields.map(({ name }) => name),
    valueOf,
  );

export const quoteDecimals = observationFields.filter(
  (column): column is DecimalColumn => column !== 'venue_ts' && column !== 'seq',
);
