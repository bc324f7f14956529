import type { FileContext } from '../../intake/file-context.js';
import type { ObservedMarkets } from '../../intake/observed-markets.js';
import type { SeenMarket } from '../../intake/seen-markets.js';
import { tickerOf } from '../../intake/ticker-of-row.js';
import type { View } from '../../mapping/compile-mapping.js';
import type { PlainTradeColumns } from '../../mapping/trade-columns.js';
import type { Side } from '../../model/feed-message.js';
import { type Cells, emptyCell } from '../../sources/cells.js';
import { type PlainTrade, TradeColumnsBatch } from '../../trades/trade-columns-batch.js';
import { tradeTaker } from '../../trades/trade-intake.js';
import { tradeRowTaker } from '../../trades/trade-rows.js';
import { one } from '../../values/millionths.js';
import type { ColumnRows, TakeRow } from './bulk-rows.js';
import { Coded, noNumbers, sharedColumns } from './plain-cells.js';

/** Trades by column. Plain rows are a few numbers and an id, and all others are read as `tradeRows` does. */
export const bulkTrades = (context: FileContext, views: readonly View[], markets: ObservedMarkets): ColumnRows => {
  const { report } = context;
  const batch = new TradeColumnsBatch();
  let isFull = false;
  const take = tradeTaker(context, markets, (market, trade) => (isFull = batch.addTrade(market, trade)));
  const takeTexts = tradeRowTaker(context, markets, take);
  const readers = views.flatMap((view) => {
    const plain = view.trade?.plain;
    return plain ? [{ view, plainOf: plainTrades(view, plain) }] : [];
  });
  const takeText = (view: View, cells: readonly string[], line: number): boolean => {
    isFull = false;
    takeTexts(view, cells, line);
    return isFull;
  };

  return {
    table: 'trades',
    spans: null,
    take: () => batch.take(),
    stored: (rows) => void (report.tradesStored += rows),
    read: (block) => {
      const { cells } = block;
      if (!cells) {
        const { rows } = block;
        return {
          count: rows.length,
          views: readers.map(
            ({ view }): TakeRow =>
              (row, line) =>
                takeText(view, rows[row] ?? [], line),
          ),
        };
      }
      const columnOf = sharedColumns(cells);
      return {
        count: cells.count,
        views: readers.map(({ view, plainOf }): TakeRow => {
          const { trade, plain, see } = plainOf(cells, columnOf);
          return (row, line) => {
            const market = plain(row);
            if (market !== null) {
              report.tradesRead += 1;
              return batch.add(market.batched, trade);
            }
            const texts = cells.row(row);
            const full = takeText(view, texts, line);
            see(row, markets.get(tickerOf(view, texts)));
            return full;
          };
        }),
      };
    },
  };
};

/** What the cells of the sides mean. `isPlain`: both are known, or the taker's side is not stated. */
interface Sides {
  readonly side: Side | null;
  readonly isOfNo: boolean;
  readonly isPlain: boolean;
}

/** The codes of two columns as one number. */
const codesMax = 2 ** 20;

const plainTrades = ({ ticker, refuseCell }: View, columns: PlainTradeColumns) => {
  const tickerCell = 'fixed' in ticker ? null : ticker.cell;
  const tickers = new Coded<SeenMarket>();
  let fixed: SeenMarket | undefined;
  const refusals = new Coded<never>();
  const sideCells = columns.sideCells.map((cell) => ({ cell, coded: new Coded<never>() }));
  let sides = new Map<number, Sides>();
  const trade: PlainTrade = { id: '', venueUs: 0, receivedUs: 0, price: 0, size: 0, side: null };

  const sidesAt = (row: number): Sides => {
    const code = sideCells.reduce((sum, { coded }) => sum * codesMax + coded.codeAt(row), 0);
    const known = sides.get(code);
    if (known) return known;
    const texts: string[] = [];
    for (const { cell, coded } of sideCells) texts[cell] = coded.textAt(row);
    const { takerSide, priceOf } = columns.sidesOf(texts);
    const side: Side | null = takerSide === 'yes' || takerSide === 'no' ? takerSide : null;
    const found = { side, isOfNo: priceOf === 'no', isPlain: side === takerSide };
    sides.set(code, found);
    return found;
  };

  return (cells: Cells, columnOf: ReturnType<typeof sharedColumns>) => {
    if (tickerCell !== null) tickers.begin(cells, tickerCell);
    if (refuseCell !== null) refusals.begin(cells, refuseCell);
    // Codes of before may mean nothing any more.
    if (sides.size > 0 && sideCells.length > 0) sides = new Map();
    for (const { cell, coded } of sideCells) coded.begin(cells, cell);
    const received = columnOf(columns.received);
    const venue = columnOf(columns.venue);
    const prices = columnOf(columns.price) ?? noNumbers;
    const sizes = columnOf(columns.size) ?? noNumbers;
    return {
      /** Of the last plain row. */
      trade,
      see: (row: number, market: SeenMarket | undefined): void => {
        if (tickerCell === null) fixed = market;
        else if (market) tickers.mean(row, market);
      },
      plain: (row: number): SeenMarket | null => {
        const market = tickerCell === null ? fixed : tickers.meaningAt(row);
        if (market?.open !== true || (refuseCell !== null && refusals.textAt(row) !== '')) return null;
        trade.receivedUs = received === null ? emptyCell : (received[row] ?? NaN);
        trade.venueUs = venue === null ? emptyCell : (venue[row] ?? NaN);
        // One of the two is known, and none is unread.
        if (!(Math.min(trade.receivedUs, trade.venueUs) < emptyCell)) return null;
        const [price, size, { side, isOfNo, isPlain }] = [prices[row] ?? NaN, sizes[row] ?? NaN, sidesAt(row)];
        if (!isPlain || !(price <= one) || !(size > 0 && size < emptyCell)) return null;
        trade.id = cells.text(columns.idCell, row);
        if (!isPlainId(trade.id)) return null;
        trade.price = isOfNo ? one - price : price;
        trade.size = size;
        trade.side = side;
        return market;
      },
    };
  };
};

const idCharsMax = 255;
const backslash = 92;

/** Printable ASCII that no text escapes, and that trimming does not change. */
const isPlainId = (id: string): boolean => {
  if (id.length === 0 || id.length > idCharsMax) return false;
  for (let at = 0; at < id.length; at += 1) {
    const code = id.charCodeAt(at);
    if (code <= 0x20 || code >= 0x7f || code === backslash) return false;
  }
  return true;
};
