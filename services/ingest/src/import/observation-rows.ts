import { spansMax, storeAllSpans } from '../archive.js';
import type { Column, CompiledMapping, ObservationColumns, View } from '../mapping/compile-mapping.js';
import { isProbability } from '../values/decimal.js';
import { copyText } from '../values/copy-text.js';
import type { RowBlock } from '../sources/source.js';
import {
  type FileContext,
  noteFields,
  noteLabel,
  noteWindow,
  reasons,
  refuse,
  type BlockConsumer,
} from './file-context.js';
import { batchBuilder } from './observation-batch.js';
import { observationBatchSender } from './observation-batch-sender.js';
import { observedSpans } from './observed-spans.js';
import { count } from './report.js';
import { marketBook, type MarketBook } from './market-book.js';
import { seePrice, type SeenMarket } from './seen-markets.js';
import { areNameable, tickerOf } from './ticker-of-row.js';

/** Imports a file whose rows are observations of one or several markets. */
export const observationRows = (
  context: FileContext,
  { views, cadence }: Pick<CompiledMapping, 'views' | 'cadence'>,
): BlockConsumer<RowBlock> => {
  const { archive, catalogue, report } = context;
  const sender = observationBatchSender(archive);
  const builder = batchBuilder();
  const book = marketBook(context);
  const spans = cadence === null ? null : observedSpans(cadence);
  const readers = views.flatMap((view) =>
    view.observation ? [createRowReader({ context, view, columns: view.observation, book })] : [],
  );

  const send = async (): Promise<void> => {
    const batch = builder.take();
    if (!batch) return;
    // A market is recorded before its observations, so a query never finds rows without their market.
    await sender.send(batch, catalogue.flush());
    report.observationsStored = sender.storedRows();
  };
  const takeRow = (cells: readonly string[], line: number): boolean => {
    let full = false;
    for (const read of readers) {
      const found = read(cells, line);
      if (!found) continue;
      report.observationsRead += 1;
      spans?.see(found.market.fact.ticker, found.us);
      if (builder.add(found.market.batched, found)) full = true;
    }
    return full;
  };

  /** After their rows, so that no reader takes a missing row for one that never was. */
  const storeSpans = async (): Promise<void> => {
    const ended = spans?.take() ?? [];
    if (ended.length === 0) return;
    await send();
    await sender.drained();
    await storeAllSpans(archive, ended);
  };
  const closeMarkets = async (): Promise<void> => {
    spans?.endAll();
    await storeSpans();
    await book.close();
  };

  return {
    consume: async (block) => {
      for (let index = 0; index < block.rows.length; index += 1) {
        const cells = block.rows[index];
        if (cells && takeRow(cells, block.lineOf(index))) await send();
        if (book.isFull()) await closeMarkets();
      }
      if ((spans?.ended() ?? 0) >= spansMax) await storeSpans();
    },
    finish: async () => {
      try {
        await send();
      } finally {
        // After a failure, batches in flight still arrive and count.
        await sender.drained().finally(() => (report.observationsStored = sender.storedRows()));
      }
      await closeMarkets();
    },
  };
};

interface Found {
  market: SeenMarket;
  us: number;
  venueUs: number | null;
  seq: number | null;
  bid: string | null;
  ask: string | null;
  coinPrice: string | null;
}

/** Reads one market's part of a row, or counts why it is refused. Hot path: it creates one object per row. */
const createRowReader = (deps: { context: FileContext; view: View; columns: ObservationColumns; book: MarketBook }) => {
  const { context, view, columns, book } = deps;
  const refuseCell = view.refuseCell;
  const no = (cells: readonly string[], line: number, reason: string): null => {
    refuse(context, { line, cells, part: view.label }, reason);
    return null;
  };
  /** The last ticker and its market, because neighbouring rows mostly share them. */
  let lastTicker = '';
  let lastMarket: SeenMarket | null = null;
  const marketOf = (
    ticker: string,
    { cells, line, us }: { cells: readonly string[]; line: number; us: number },
  ): SeenMarket | null => {
    const known = book.get(ticker);
    if (known) return known;
    const tickerCopy = copyText(ticker);
    const found = view.market.read({ cells, ticker: tickerCopy, rowUs: us });
    const { fact } = found;
    if (!areNameable(fact)) return null;
    noteFields(context, found);
    noteLabel(context, found);
    noteWindow(context, fact);
    return book.open(fact, { repeated: columns.repeated.length, line });
  };

  return (cells: readonly string[], line: number): Found | null => {
    if (refuseCell !== null && (cells[refuseCell] ?? '') !== '') return no(cells, line, reasons.sourceError);
    const ticker = tickerOf(view, cells);
    if (ticker === '') return no(cells, line, reasons.noTicker);
    const time = (cells[columns.ts.cell] ?? '').trim();
    if (time === '') return no(cells, line, reasons.noTime);
    const us = columns.ts.read(time);
    if (us === null) return no(cells, line, reasons.notTime);
    const bid = probability(columns.bid, cells);
    if (bid === wrong) return no(cells, line, 'yes_best_bid: not a price from 0 to 1');
    const ask = probability(columns.ask, cells);
    if (ask === wrong) return no(cells, line, 'yes_best_ask: not a price from 0 to 1');
    const market =
      ticker === lastTicker && lastMarket?.open === true ? lastMarket : marketOf(ticker, { cells, line, us });
    if (!market) return no(cells, line, reasons.longTicker);
    if (market !== lastMarket) {
      lastTicker = market.fact.ticker;
      lastMarket = market;
    }
    noteRepeated(context, { market, columns, cells });
    const coinPrice = optional(context, columns.coinPrice, cells, 'not a decimal number');
    if (coinPrice !== null) seePrice(market, coinPrice, us);
    const venueUs = optional(context, columns.venueTs, cells, 'not a whole time');
    const seq = optional(context, columns.seq, cells, 'not a whole number');
    return { market, us, venueUs, seq, bid, ask, coinPrice };
  };
};

const wrong = Symbol('not a price');

/** An empty side is null. An invalid price is refused, because any replacement would be invented. */
const probability = (column: Column<string> | null, cells: readonly string[]): string | null | typeof wrong => {
  const text = column === null ? '' : (cells[column.cell] ?? '').trim();
  if (column === null || text === '') return null;
  const price = column.read(text);
  return price !== null && isProbability(price) ? price : wrong;
};

const optional = <T>(
  context: FileContext,
  column: Column<T> | null,
  cells: readonly string[],
  otherwise: string,
): T | null => {
  const text = column === null ? '' : (cells[column.cell] ?? '').trim();
  if (column === null || text === '') return null;
  const value = column.read(text);
  if (value === null) count(context.report.dropped, `${column.name}: ${otherwise}`);
  return value;
};

/** A strike is repeated in every row. The first value counts, and a different one is a warning. */
const noteRepeated = (
  context: FileContext,
  row: { market: SeenMarket; columns: ObservationColumns; cells: readonly string[] },
): void => {
  const { market, columns, cells } = row;
  for (let index = 0; index < columns.repeated.length; index += 1) {
    const column = columns.repeated[index];
    const cell = column ? (cells[column.cell] ?? '') : '';
    if (!column || cell === '' || cell === market.repeatedCells[index]) continue;
    market.repeatedCells[index] = copyText(cell);
    const value = column.read(cell.trim());
    if (value === null) continue;
    const first = market.repeatedValues[index];
    if (first === undefined) market.repeatedValues[index] = value;
    else if (first !== value) count(context.report.warnings, `${column.name}: another value than the first one`);
  }
};
