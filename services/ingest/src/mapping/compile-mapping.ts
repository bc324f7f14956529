import { basename } from 'node:path';
import { ImportError } from '../errors.js';
import type { DecimalForm, TimeForm } from '../sources/cells.js';
import { type QuoteField, quoteFields } from '../model/quote-fields.js';
import type { NamedAltered } from '../values/altered.js';
import { marketReader, type MarketReader } from './market-reader.js';
import type { Cadence, Mapping } from './mapping.js';
import { type BookColumns, bookColumns } from './book-columns.js';
import { type CandleColumns, candleColumns } from './candle-columns.js';
import { type CoinColumns, coinColumns } from './coin-columns.js';
import { type FeeColumns, feeColumns } from './fee-columns.js';
import { type LevelColumns, levelColumns } from './level-columns.js';
import { priceColumn, sizeColumn } from './price-columns.js';
import { rowKindOf, type RowKind } from './row-kind.js';
import { firstGroup, type Flaw, readMappedTime, type CellOf } from './readers.js';
import { faultOf, timeColumn } from './time-column.js';
import { type TradeColumns, tradeColumns } from './trade-columns.js';

/** One value of an observation: its cell and how to read it. `read` returns null for an invalid value. */
export interface Column<T> {
  readonly name: string;
  readonly cell: number;
  readonly read: (text: string, onAltered: (altered: NamedAltered) => void) => T | null;
  /** Why a text that `read` refuses is no time. Only of times. */
  readonly faultOf?: (text: string) => Flaw;
  /** How plain cells are read before they are texts, with the same result as `read`. */
  readonly time?: TimeForm;
  readonly decimal?: DecimalForm;
}

/** A column with the values of a field of a quote, and of its type. */
export type QuoteColumn = Column<number | string> & { readonly field: QuoteField };

/** The columns of an observation. */
export interface ObservationColumns {
  readonly ts: Column<number>;
  /** Those that the source has. */
  readonly quote: readonly QuoteColumn[];
  /** The whole book, null without one. Its best prices are those of the row. */
  readonly book: BookColumns | null;
  /** Fields of the market that every row repeats. The first value counts, and a different one is a warning. */
  readonly repeated: readonly Column<string>[];
}

/** One market of a row. A mapping without `expand` has one view. */
export interface View {
  /** The prefix, empty without `expand`. */
  readonly label: string;
  /** `fixed`: the ticker from the file name, for all rows. Empty for fees and prices of coins. */
  readonly ticker: { readonly cell: number; readonly pattern: RegExp | null } | { readonly fixed: string };
  readonly refuseCell: number | null;
  readonly market: MarketReader;
  /** At most one of the six is set, and none if the rows are markets. */
  readonly observation: ObservationColumns | null;
  readonly trade: TradeColumns | null;
  readonly candle: CandleColumns | null;
  readonly level: LevelColumns | null;
  readonly fee: FeeColumns | null;
  readonly coin: CoinColumns | null;
}

export interface CompiledMapping {
  readonly name: string;
  readonly shape: string | null;
  /** Null if the mapping states no cadence. */
  readonly cadence: Cadence | null;
  readonly rowKind: RowKind;
  readonly views: readonly View[];
}

/** Finds the cell of a column in the source's rows, or null if it has none. */
export type FindCell = (column: string) => number | null;

/** Binds a mapping to a file's columns. Throws an `ImportError` that names the missing column and its field. */
export const compileMapping = (mapping: Mapping, file: string, findCell: FindCell): CompiledMapping => {
  const readRowTime = rowTimeReader(mapping);
  const views = (mapping.expand?.prefixes ?? ['']).map((prefix) => {
    const cellFor =
      (field: string): CellOf =>
      (template) => {
        const column = template.replaceAll('{prefix}', prefix);
        const cell = findCell(column);
        if (cell !== null) return cell;
        throw new ImportError(
          `${file}: the column ${column} is missing. The field ${field} of the mapping ${mapping.name} needs it.`,
        );
      };
    return viewOf(mapping, { file, label: prefix, cellFor, readRowTime });
  });
  return {
    name: mapping.name,
    shape: mapping.fields.shape?.constant ?? null,
    cadence: mapping.cadence ?? null,
    rowKind: rowKindOf(mapping.fields),
    views,
  };
};

interface ViewContext {
  readonly file: string;
  readonly label: string;
  readonly cellFor: (field: string) => CellOf;
  readonly readRowTime: Column<number>['read'];
}

/** The markets of a row mostly share its time, so the last text is cached. */
const rowTimeReader = ({ fields: { ts } }: Mapping): Column<number>['read'] => {
  let last = '';
  let us: number | null = null;
  let altered: NamedAltered | null = null;
  return (text, onAltered) => {
    if (text !== last && ts) {
      last = text;
      altered = null;
      us = readMappedTime(text, ts, (change) => (altered = { ...change, name: 'ts' }));
    }
    if (altered !== null) onAltered(altered);
    return us;
  };
};

const viewOf = (mapping: Mapping, context: ViewContext): View => {
  const { label, cellFor } = context;
  return {
    label,
    ticker: tickerSource(mapping, context),
    refuseCell: mapping.refuse_when === undefined ? null : cellFor('refuse_when')(mapping.refuse_when),
    market: marketReader(mapping.fields, cellFor),
    observation: observationColumns(mapping, context),
    trade: tradeColumns(mapping.fields, cellFor),
    candle: candleColumns(mapping.fields, mapping.name, cellFor),
    level: levelColumns(mapping.fields, cellFor),
    fee: feeColumns(mapping.fields, cellFor),
    coin: coinColumns(mapping.fields, cellFor),
  };
};

const tickerSource = ({ name, fields: { ticker } }: Mapping, { file, cellFor }: ViewContext): View['ticker'] => {
  if (ticker === undefined) return { fixed: '' };
  if ('column' in ticker) return { cell: cellFor('ticker')(ticker.column), pattern: ticker.pattern ?? null };
  const fixed = firstGroup(ticker.file_name, basename(file));
  if (fixed !== null) return { fixed };
  throw new ImportError(`${file}: the file name does not match the ticker pattern of the mapping ${name}.`);
};

const observationColumns = ({ fields }: Mapping, context: ViewContext): ObservationColumns | null => {
  const { cellFor, readRowTime } = context;
  if (!fields.ts || fields.trade_id || fields.book_event || fields.coin) return null;
  return {
    ts: {
      name: 'ts',
      cell: cellFor('ts')(fields.ts.column),
      read: readRowTime,
      faultOf: faultOf(fields.ts),
      time: fields.ts,
    },
    quote: quoteFields.flatMap((field) => quoteColumn(field, fields, cellFor) ?? []),
    book: bookColumns(fields, cellFor),
    repeated: (fields.floor_strike ?? []).flatMap((source) =>
      'column' in source ? [priceColumn('floor_strike', source, cellFor)] : [],
    ),
  };
};

const quoteColumn = (
  field: QuoteField,
  fields: Mapping['fields'],
  cellFor: ViewContext['cellFor'],
): QuoteColumn | null => {
  const { column: name, kind } = field;
  if (name === 'venue_ts') return fields.venue_ts ? { ...timeColumn(name, fields.venue_ts, cellFor), field } : null;
  if (name === 'seq')
    return fields.seq ? { name, field, cell: cellFor(name)(fields.seq.column), read: readSequence } : null;
  const source = fields[name];
  if (!source) return null;
  return { ...(kind === 'size' ? sizeColumn : priceColumn)(name, source, cellFor), field };
};

const readSequence = (text: string): number | null => {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(value) ? value : null;
};
