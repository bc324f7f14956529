import { isValidId } from '@almanac/bus';
import type { View } from '../../mapping/compile-mapping.js';
import type { RowBlock } from '../../sources/source.js';
import type { NamedAltered } from '../../values/altered.js';
import {
  type BlockConsumer,
  exactRefusal,
  type FileContext,
  noteAltered,
  reasons,
  refusalReason,
  refuse,
  type RowPart,
} from '../../intake/file-context.js';

/** Each row is a fee of a series. It becomes a fact, and none stays in memory. */
export const feeRows = (context: FileContext, views: readonly View[]): BlockConsumer<RowBlock> => ({
  consume: async (block) => {
    for (const [index, cells] of block.rows.entries())
      for (const view of views) await takeFee(context, view, { line: block.lineOf(index), cells, part: view.label });
  },
  finish: () => context.catalogue.flush(),
});

const takeFee = (context: FileContext, view: View, at: RowPart): Promise<void> | null => {
  const { report } = context;
  const { refuseCell, fee } = view;
  const no = (reason: string): null => {
    refuse(context, at, reason);
    report.recordsRefused += 1;
    return null;
  };
  if (fee === null) return null;
  if (refuseCell !== null && (at.cells[refuseCell] ?? '').trim() !== '') return no(reasons.sourceError);
  const altered: NamedAltered[] = [];
  const fact = fee.read(at.cells, (change) => void altered.push(change));
  if (typeof fact === 'string') return no(fact);
  if (!isValidId(fact.id)) return no(reasons.longTicker);
  const inexact = exactRefusal(context, altered);
  if (inexact !== null) return no(inexact);
  noteAltered(context, altered);
  report.entities.series.sent += 1;
  return context.catalogue.add(fact, (outcome) => {
    if (outcome.outcome === 'refused') refuse(context, at, refusalReason(outcome));
    report.entities.series[outcome.outcome] += 1;
  });
};
