import {
  type BlockConsumer,
  exactRefusal,
  type FileContext,
  noteFields,
  noteLabel,
  reasons,
  refuse,
} from '../intake/file-context.js';
import { observedMarkets } from '../intake/observed-markets.js';
import { recordRows } from '../intake/record-intake.js';
import { tickerOf } from '../intake/ticker-of-row.js';
import type { View } from '../mapping/compile-mapping.js';
import type { RowBlock } from '../sources/source.js';
import type { NamedAltered } from '../values/altered.js';
import { copyText } from '../values/copy-text.js';
import { candleIntake } from './candle-intake.js';
import { readCandle } from '../model/venue-candle.js';

/** Imports a file whose rows are venue candles, as its mapping describes them. */
export const candleRows = (context: FileContext, views: readonly View[], startedAt: Date): BlockConsumer<RowBlock> => {
  const { report } = context;
  const markets = observedMarkets(context);
  const intake = candleIntake(context, markets, startedAt);

  /** Why the row is refused, or null. */
  const takeRow = (view: View, cells: readonly string[], line: number): string | null => {
    const { candle, market } = view;
    const no = (reason: string): string => {
      report.candlesRefused += 1;
      return reason;
    };
    if (candle === null) return null;
    if (view.refuseCell !== null && (cells[view.refuseCell] ?? '') !== '') return no(reasons.sourceError);
    const ticker = copyText(tickerOf(view, cells));
    if (ticker === '') return no(reasons.noTicker);
    const altered: NamedAltered[] = [];
    const stated = candle.read(cells, (change) => void altered.push(change));
    if (typeof stated === 'string') return no(stated);
    const read = readCandle({ ...stated, ticker }, { unit: null, periodS: null });
    if (typeof read === 'string') return no(read);
    const found = markets.get(ticker) === undefined ? market.read({ cells, ticker, rowUs: read.candle.endUs }) : null;
    const refusal = found === null ? null : (found.refusal ?? exactRefusal(context, found.altered));
    if (refusal !== null) return no(refusal);
    const factOf = () => {
      const known = found ?? market.read({ cells, ticker, rowUs: read.candle.endUs });
      noteFields(context, known, line);
      noteLabel(context, known);
      return known.fact;
    };
    return intake.take({ ...read, altered: [...altered, ...read.altered] }, { factOf, line });
  };

  return recordRows(intake, markets, (cells, line) => {
    for (const view of views) {
      const refusal = takeRow(view, cells, line);
      if (refusal !== null) refuse(context, { line, cells, part: view.label }, refusal);
    }
  });
};
