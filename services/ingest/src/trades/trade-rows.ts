import type { View } from '../mapping/compile-mapping.js';
import {
  type BlockConsumer,
  exactRefusal,
  type FileContext,
  noteFields,
  noteLabel,
  reasons,
  refuse,
} from '../intake/file-context.js';
import { observedMarkets, type ObservedMarkets } from '../intake/observed-markets.js';
import { recordRows } from '../intake/record-intake.js';
import { tickerOf } from '../intake/ticker-of-row.js';
import type { RowBlock } from '../sources/source.js';
import type { NamedAltered } from '../values/altered.js';
import { copyText } from '../values/copy-text.js';
import { contentIdOf, equalTrades } from './equal-trades.js';
import { readTrade, tradeReasons } from '../model/trade.js';
import { type TradeIntake, tradeIntake } from './trade-intake.js';

/** Takes a row of trades from its texts, or counts why it is refused. */
export const tradeRowTaker = (context: FileContext, markets: ObservedMarkets, take: TradeIntake['take']) => {
  const numbered = equalTrades();

  /** Why the row is refused, or null. */
  const takeRow = (view: View, cells: readonly string[], line: number): string | null => {
    const no = (reason: string, value?: string): string => {
      context.report.tradesRefused += 1;
      if (value !== undefined && !context.report.refusedValues.has(reason))
        context.report.refusedValues.set(reason, copyText(value));
      return reason;
    };
    if (view.trade === null) return null;
    if (view.refuseCell !== null && (cells[view.refuseCell] ?? '') !== '') return no(reasons.sourceError);
    const ticker = tickerOf(view, cells);
    const altered: NamedAltered[] = [];
    const stated = view.trade.read(cells, (change) => void altered.push(change));
    if (typeof stated === 'string') return no(stated);
    const { hasNoId } = view.trade;
    const read = readTrade({ ...stated, ticker, id: hasNoId ? 'content' : stated.id });
    if (typeof read === 'string') return no(read, read === tradeReasons.price ? (stated.price ?? '') : undefined);
    const trade = hasNoId ? numbered({ ...read.trade, id: contentIdOf(read.trade) }) : read.trade;
    const market = (): ReturnType<View['market']['read']> =>
      view.market.read({ cells, ticker: copyText(ticker), rowUs: trade.receivedUs ?? trade.venueUs });
    const known = markets.get(ticker) === undefined ? market() : null;
    const refusal = known === null ? null : (known.refusal ?? exactRefusal(context, known.altered));
    if (refusal !== null) return no(refusal);
    const factOf = () => {
      const found = known ?? market();
      noteFields(context, found, line);
      noteLabel(context, found);
      return found.fact;
    };
    return take({ trade, altered: [...altered, ...read.altered] }, { factOf, line });
  };

  return (view: View, cells: readonly string[], line: number): void => {
    const refusal = takeRow(view, cells, line);
    if (refusal !== null) refuse(context, { line, cells, part: view.label }, refusal);
  };
};

/** Imports a file whose rows are trades, as its mapping describes them. */
export const tradeRows = (context: FileContext, views: readonly View[]): BlockConsumer<RowBlock> => {
  const markets = observedMarkets(context);
  const intake = tradeIntake(context, markets);
  const takeRow = tradeRowTaker(context, markets, (read, source) => intake.take(read, source));

  return recordRows(intake, markets, (cells, line) => {
    for (const view of views) takeRow(view, cells, line);
  });
};
