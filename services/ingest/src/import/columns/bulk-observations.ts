import type { FileContext } from '../../intake/file-context.js';
import type { ObservedMarkets } from '../../intake/observed-markets.js';
import { QuoteBatch } from '../../intake/quote-batch.js';
import type { CompiledMapping } from '../../mapping/compile-mapping.js';
import { blockViews, type ReadView } from './block-views.js';
import type { ColumnRows } from './bulk-rows.js';
import { observedSpans } from '../rows/observed-spans.js';

/** Quotes by column. Rows that are not plain are read as `observationRows` does. */
export const bulkObservations = (
  context: FileContext,
  { views, cadence }: Pick<CompiledMapping, 'views' | 'cadence'>,
  markets: ObservedMarkets,
): ColumnRows => {
  const { report } = context;
  const observed = views.flatMap(({ observation }) => observation ?? []);
  const fields = observed.flatMap(({ quote }) => quote.map(({ field }) => field));
  const columns = fields.some(({ kind }) => kind === 'size') ? 'top_sizes' : 'top';
  const batch = new QuoteBatch(new Set(fields.map(({ name }) => name)), columns);
  const spans = cadence === null ? null : observedSpans(cadence, 'top');
  const readViews = blockViews(context, views, markets);
  const add = (view: ReadView, row: number, line: number): boolean => {
    const market = view.plain(row);
    if (market === null) {
      const found = view.read(row, line);
      if (!found) return false;
      spans?.see(found.market.fact.ticker, found.us);
      report.observationsRead += 1;
      return batch.addRow(found.market.batched, found);
    }
    spans?.see(market.fact.ticker, view.columns.us[row] ?? 0);
    report.observationsRead += 1;
    return batch.add(market.batched, view.columns, row);
  };
  return {
    table: 'snapshots',
    spans,
    take: () => batch.take(),
    stored: (rows) => void (report.observationsStored += rows),
    read: (block) => {
      const { count, views: read } = readViews(block);
      return { count, views: read.map((view) => (row, line) => add(view, row, line)) };
    },
  };
};
