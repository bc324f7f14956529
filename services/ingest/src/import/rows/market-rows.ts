import type { View } from '../../mapping/compile-mapping.js';
import type { RowBlock } from '../../sources/source.js';
import {
  exactRefusal,
  type FileContext,
  noteFields,
  noteLabel,
  noteWindow,
  reasons,
  refuse,
  type RowPart,
  type BlockConsumer,
  refusalReason,
} from '../../intake/file-context.js';
import { areNameable, tickerOf } from '../../intake/ticker-of-row.js';

/** Each row becomes a fact, and none stays in memory. */
export const marketRows = (context: FileContext, views: readonly View[]): BlockConsumer<RowBlock> => ({
  consume: (block) => takeMarkets(context, views, block),
  finish: () => context.catalogue.flush(),
});

const takeMarkets = async (context: FileContext, views: readonly View[], block: RowBlock): Promise<void> => {
  for (const [index, cells] of block.rows.entries()) {
    for (const view of views) {
      const at: RowPart = { line: block.lineOf(index), cells, part: view.label };
      const taken = takeMarket(context, view, at);
      if (taken) await taken;
    }
  }
};

const takeMarket = (context: FileContext, view: View, at: RowPart): Promise<void> | null => {
  const { report } = context;
  const no = (reason: string): null => {
    refuse(context, at, reason);
    report.recordsRefused += 1;
    return null;
  };
  if (view.refuseCell !== null && (at.cells[view.refuseCell] ?? '').trim() !== '') return no(reasons.sourceError);
  const ticker = tickerOf(view, at.cells);
  if (ticker === '') return no(reasons.noTicker);
  const found = view.market.read({ cells: at.cells, ticker, rowUs: null });
  const { fact } = found;
  if (found.refusal !== null) return no(found.refusal);
  if (view.market.knowsClose && fact.close_us === undefined) return no(reasons.noClose);
  if (!areNameable(fact)) return no(reasons.longTicker);
  const inexact = exactRefusal(context, found.altered);
  if (inexact !== null) return no(inexact);
  noteFields(context, found, at.line);
  noteLabel(context, found);
  noteWindow(context, fact);
  report.markets += 1;
  return context.catalogue.add(fact, (outcome) => {
    if (outcome.outcome === 'refused') refuse(context, at, refusalReason(outcome));
    report.outcomes[outcome.outcome] += 1;
  });
};
