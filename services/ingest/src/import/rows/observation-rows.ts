import { spansMax, storeAllSpans } from '../../archive.js';
import type { CompiledMapping, ObservationColumns, View } from '../../mapping/compile-mapping.js';
import type { RowBookValues } from '../../mapping/book-columns.js';
import { millionthsText } from '../../values/millionths.js';
import { whyNoTime, readQuote } from './read-quote.js';
import type { QuoteRow } from '../../model/quote-fields.js';
import type { NamedAltered } from '../../values/altered.js';
import { copyText } from '../../values/copy-text.js';
import type { RowBlock } from '../../sources/source.js';
import {
  exactRefusal,
  type FileContext,
  noteAltered,
  noteDropped,
  noteFields,
  noteLabel,
  noteWindow,
  reasons,
  refuse,
  type BlockConsumer,
} from '../../intake/file-context.js';
import { batchBuilder, type RowBook } from '../../intake/observation-batch.js';
import { observationBatchSender } from '../../intake/observation-batch-sender.js';
import { observedSpans } from './observed-spans.js';
import { count } from '../../intake/report.js';
import { observedMarkets, type ObservedMarkets } from '../../intake/observed-markets.js';
import { seePrice, type SeenMarket } from '../../intake/seen-markets.js';
import { areNameable, tickerOf } from '../../intake/ticker-of-row.js';

/** Imports a file whose rows are observations of one or several markets. */
export const observationRows = (
  context: FileContext,
  { views, cadence }: Pick<CompiledMapping, 'views' | 'cadence'>,
): BlockConsumer<RowBlock> => {
  const { archive, catalogue, report } = context;
  const sender = observationBatchSender(archive);
  const layer = views.some(({ observation }) => observation?.book) ? 'l2' : 'top';
  const hasSizes = views.some(({ observation }) => observation?.quote.some(({ field }) => field.kind === 'size'));
  const builder = batchBuilder(layer === 'top' && hasSizes ? 'top_sizes' : layer);
  const markets = observedMarkets(context);
  const spans = cadence === null ? null : observedSpans(cadence, layer);
  const readers = readersOf(context, views, markets);

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
      if (builder.add(found.market.batched, found, found.book)) full = true;
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
    // At the same time: spans and facts are independent, and both have one entry for each market.
    const [stored, closed] = await Promise.allSettled([storeSpans(), markets.close()]);
    for (const outcome of [stored, closed]) if (outcome.status === 'rejected') throw outcome.reason;
  };

  return {
    consume: async (block) => {
      for (let index = 0; index < block.rows.length; index += 1) {
        const cells = block.rows[index];
        if (cells && takeRow(cells, block.lineOf(index))) await send();
        if (markets.isFull()) await closeMarkets();
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

export interface Found extends QuoteRow {
  readonly market: SeenMarket;
  readonly book?: RowBook;
}

/** The best prices of a row with a book are those of its book. The coin price of a file is as old as its row. */
const withBook = (found: Found, { bid, ask, ...book }: RowBookValues): Found => ({
  ...found,
  bid: bid === null ? null : millionthsText(bid),
  ask: ask === null ? null : millionthsText(ask),
  book: { ...book, coinAgeUs: found.coinPrice === null ? null : 0 },
});

export interface RowReaderDeps {
  readonly context: FileContext;
  readonly view: View;
  readonly columns: ObservationColumns;
  readonly markets: ObservedMarkets;
}

const readersOf = (context: FileContext, views: readonly View[], markets: ObservedMarkets) =>
  views.flatMap((view) =>
    view.observation ? [createRowReader({ context, view, columns: view.observation, markets })] : [],
  );

/** Reads one market's part of a row, or counts why it is refused. Hot path: it creates one object per row. */
export const createRowReader = (deps: RowReaderDeps) => {
  const { context, view, columns } = deps;
  const { report } = context;
  const refuseCell = view.refuseCell;
  const no = (cells: readonly string[], line: number, reason: string, value?: string): null => {
    refuse(context, { line, cells, part: view.label }, reason, value);
    report.observationsRefused += 1;
    return null;
  };
  /** The altered values of the row that is read. Usually empty. */
  let altered: NamedAltered[] = [];
  const onAltered = (change: NamedAltered): void => void altered.push(change);
  /** The last ticker and its market, because neighbouring rows mostly share them. */
  let lastTicker = '';
  let lastMarket: SeenMarket | null = null;
  const marketOf = marketFinder(deps);

  return (cells: readonly string[], line: number): Found | null => {
    if (refuseCell !== null && (cells[refuseCell] ?? '') !== '') return no(cells, line, reasons.sourceError);
    const ticker = tickerOf(view, cells);
    if (ticker === '') return no(cells, line, reasons.noTicker);
    const time = (cells[columns.ts.cell] ?? '').trim();
    if (time === '') return no(cells, line, reasons.noTime);
    if (altered.length > 0) altered = [];
    const us = columns.ts.read(time, onAltered);
    if (us === null) return no(cells, line, whyNoTime(columns.ts, time), time);
    const book = columns.book?.read({ cells, ticker, onAltered });
    if (typeof book === 'string') return no(cells, line, book);
    const quote = readQuote(columns.quote, cells, onAltered);
    if ('refusal' in quote) return no(cells, line, quote.refusal, quote.value);
    const inexact = altered.length > 0 ? exactRefusal(context, altered) : null;
    if (inexact !== null) return no(cells, line, inexact);
    const market =
      ticker === lastTicker && lastMarket?.open === true ? lastMarket : marketOf(ticker, { cells, line, us });
    if (typeof market === 'string') return no(cells, line, market);
    if (market !== lastMarket) {
      lastTicker = market.fact.ticker;
      lastMarket = market;
    }
    if (altered.length > 0) noteAltered(context, altered);
    noteRepeated(context, { market, columns, cells });
    for (const { field, text } of quote.dropped)
      noteDropped(context, `${field.column}: ${field.fault}`, { line, value: text });
    const { coinPrice } = quote.values;
    if (coinPrice !== null) seePrice(market, coinPrice, us);
    const found = { market, us, ...quote.values };
    return book === undefined ? found : withBook(found, book);
  };
};

/** Finds or opens the market of a row. Returns a text if the row is refused. */
const marketFinder =
  ({ context, view, columns, markets }: RowReaderDeps) =>
  (
    ticker: string,
    { cells, line, us }: { cells: readonly string[]; line: number; us: number },
  ): SeenMarket | string => {
    const known = markets.get(ticker);
    if (known) return known;
    const tickerCopy = copyText(ticker);
    const found = view.market.read({ cells, ticker: tickerCopy, rowUs: us });
    const { fact } = found;
    if (!areNameable(fact)) return reasons.longTicker;
    const refusal = found.refusal ?? exactRefusal(context, found.altered);
    if (refusal !== null) return refusal;
    noteFields(context, found, line);
    noteLabel(context, found);
    noteWindow(context, fact);
    return markets.open(columns.book && fact.capture === undefined ? { ...fact, capture: 'l2' } : fact, {
      repeated: columns.repeated.length,
      line,
    });
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
    const altered: NamedAltered[] = [];
    const value = column.read(cell.trim(), (change) => void altered.push(change));
    if (value === null) continue;
    const first = market.repeatedValues[index];
    if (first !== undefined && first !== value)
      count(context.report.warnings, `${column.name}: another value than the first one`);
    if (first === undefined && isTaken(context, market, altered)) market.repeatedValues[index] = value;
  }
};

/** The strike of the first row is in the market's fact, which counts it. A strike of a later row counts here. */
const isTaken = (context: FileContext, { fact }: SeenMarket, altered: readonly NamedAltered[]): boolean => {
  if (fact.floor_strike !== undefined) return true;
  const inexact = exactRefusal(context, altered);
  if (inexact === null) noteAltered(context, altered);
  else count(context.report.dropped, inexact);
  return inexact === null;
};
