import { categoryOf } from '../../values/category.js';
import { receiptKnowledge } from '../../model/knowledge.js';
import { titleOf } from '../../values/title.js';
import type { CatalogueFormat } from '../catalogue-format.js';
import { recordFields } from '../../sources/record-fields.js';

export const kalshiSeries: CatalogueFormat = {
  name: 'kalshi-series',
  listKey: 'series',
  entityKind: 'series',
  is: (record) =>
    typeof record['ticker'] === 'string' &&
    record['event_ticker'] === undefined &&
    ['frequency', 'title', 'category'].every((key) => key in record),
  read: (record, _known, receivedUs) => {
    const { text, decimal, dropped, altered } = recordFields(record);
    const id = text('ticker') ?? '';
    const label = titleOf(text('title'), null);
    const type = text('fee_type');
    const fee = type === null ? null : { type, multiplier: decimal('fee_multiplier', 'fee'), valid_from_us: null };
    const fees = fee === null ? {} : { fees: [{ ...fee, ...receiptKnowledge(receivedUs) }] };
    return { facts: [{ kind: 'series', id, label, ...categoryOf(text('category')), ...fees }], dropped, altered };
  },
};

/** Kalshi's scheduled changes of the fees of series. Without a receipt, a change was known when it began at the latest. */
export const kalshiFeeChanges: CatalogueFormat = {
  name: 'kalshi-fee-changes',
  listKey: 'series_fee_change_arr',
  entityKind: 'series',
  is: (record) => ['series_ticker', 'fee_type', 'scheduled_ts'].every((key) => typeof record[key] === 'string'),
  read: (record, _known, receivedUs) => {
    const { text, decimal, time, dropped, altered } = recordFields(record);
    const [id, type] = [text('series_ticker') ?? '', text('fee_type')];
    const startUs = time('scheduled_ts', 'fee');
    if (type === null || startUs === null) return { facts: [{ kind: 'series', id }], dropped, altered };
    const known =
      receivedUs === null ? { known_us: startUs, basis: 'inferred' as const } : receiptKnowledge(receivedUs);
    const fee = { type, multiplier: decimal('fee_multiplier', 'fee'), valid_from_us: startUs, ...known };
    return { facts: [{ kind: 'series', id, fees: [fee] }], dropped, altered };
  },
};
