import type { FileContext } from '../../intake/file-context.js';
import type { ObservedMarkets } from '../../intake/observed-markets.js';
import type { QuoteColumns } from '../../intake/quote-batch.js';
import { seePrice, type SeenMarket } from '../../intake/seen-markets.js';
import { mapQuote, type QuoteName } from '../../model/quote-fields.js';
import { one } from '../../values/millionths.js';
import type { ObservationColumns, View } from '../../mapping/compile-mapping.js';
import { type Cells, emptyCell } from '../../sources/cells.js';
import type { RowBlock } from '../../sources/source.js';
import { createRowReader, type Found } from '../rows/observation-rows.js';
import { Coded, noNumbers, type ReadColumn, sharedColumns } from './plain-cells.js';

/** One market's part of the rows of a block. */
export interface ReadView {
  readonly columns: QuoteColumns;
  /** The market of a plain row, whose values are in `columns`. Null: the row must be read. */
  readonly plain: (row: number) => SeenMarket | null;
  /** Reads any row from its texts, or counts why it is refused. */
  readonly read: (row: number, line: number) => Found | null;
}

interface ReadBlock {
  readonly count: number;
  readonly views: readonly ReadView[];
}

/** Reads blocks for each market of a row. A block without cells has no plain row. */
export const blockViews = (
  context: FileContext,
  views: readonly View[],
  markets: ObservedMarkets,
): ((block: RowBlock) => ReadBlock) => {
  const readers = views.flatMap((view) => {
    const { observation: columns } = view;
    if (!columns) return [];
    const read = createRowReader({ context, view, columns, markets });
    return [{ read, plainOf: plainRows(view, columns) }];
  });
  return (block) => {
    const { cells } = block;
    if (!cells) {
      const { rows } = block;
      return {
        count: rows.length,
        views: readers.map(({ read }) => ({
          columns: noColumns,
          plain: () => null,
          read: (row, line) => read(rows[row] ?? [], line),
        })),
      };
    }
    const columnOf = sharedColumns(cells);
    return {
      count: cells.count,
      views: readers.map(({ read, plainOf }) => {
        const { columns, plain, see } = plainOf(cells, columnOf);
        return {
          columns,
          plain,
          read: (row, line) => {
            const found = read(cells.row(row), line);
            if (found) see(row, found.market);
            return found;
          },
        };
      }),
    };
  };
};

const noColumns: QuoteColumns = { us: noNumbers, ...mapQuote(() => null) };

const plainRows = ({ ticker, refuseCell }: View, columns: ObservationColumns) => {
  const tickerCell = 'fixed' in ticker ? null : ticker.cell;
  const tickers = new Coded<SeenMarket>();
  let fixed: SeenMarket | undefined;
  const refusals = new Coded<never>();
  const repeated = columns.repeated.map(({ cell }) => ({ cell, coded: new Coded<never>() }));

  const isRepeated = (market: SeenMarket, row: number): boolean => {
    for (let index = 0; index < repeated.length; index += 1) {
      const text = repeated[index]?.coded.textAt(row) ?? '';
      if (text !== '' && text !== market.repeatedCells[index]) return false;
    }
    return true;
  };

  return (cells: Cells, columnOf: ReadColumn) => {
    if (tickerCell !== null) tickers.begin(cells, tickerCell);
    if (refuseCell !== null) refusals.begin(cells, refuseCell);
    for (const { cell, coded } of repeated) coded.begin(cells, cell);
    const us = columnOf(columns.ts) ?? noNumbers;
    const quote = columns.quote.map((column) => ({ field: column.field, numbers: columnOf(column) ?? noNumbers }));
    const numbersOf = (name: QuoteName): Float64Array | null =>
      quote.find(({ field }) => field.name === name)?.numbers ?? null;
    const read: QuoteColumns = { us, ...mapQuote(numbersOf) };
    const prices = quote.flatMap(({ field, numbers }) => (field.kind === 'price' ? [numbers] : []));
    const others = quote.flatMap(({ field, numbers }) => (field.kind === 'price' ? [] : [numbers]));
    const { coinPrice } = read;
    return {
      columns: read,
      see: (row: number, market: SeenMarket): void => {
        if (tickerCell === null) fixed = market;
        else tickers.mean(row, market);
      },
      plain: (row: number): SeenMarket | null => {
        const market = tickerCell === null ? fixed : tickers.meaningAt(row);
        if (market?.open !== true || (refuseCell !== null && refusals.textAt(row) !== '')) return null;
        const at = us[row] ?? NaN;
        // An empty time is none.
        if (!(at < emptyCell) || !isRepeated(market, row)) return null;
        for (const numbers of prices) if (!isPrice(numbers, row)) return null;
        for (const numbers of others) if (isUnread(numbers, row)) return null;
        const price = coinPrice?.[row] ?? emptyCell;
        if (price !== emptyCell) seePrice(market, price, at);
        return market;
      },
    };
  };
};

const isUnread = (column: Float64Array, row: number): boolean => Number.isNaN(column[row] ?? NaN);

const isPrice = (column: Float64Array, row: number): boolean => {
  const value = column[row] ?? NaN;
  return value <= one || value === emptyCell;
};
