import { categoryOf } from '../../values/category.js';
import { titleOf } from '../../values/title.js';
import type { CatalogueFormat } from '../../sources/catalogue-format.js';
import { recordFields } from '../../sources/record-fields.js';

export const kalshiSeries: CatalogueFormat = {
  name: 'kalshi-series',
  entityKind: 'series',
  is: (record) =>
    typeof record['ticker'] === 'string' &&
    record['event_ticker'] === undefined &&
    ['frequency', 'title', 'category'].every((key) => key in record),
  read: (record) => {
    const { text, dropped, altered } = recordFields(record);
    const id = text('ticker') ?? '';
    return {
      facts: [{ kind: 'series', id, label: titleOf(text('title'), null), ...categoryOf(text('category')) }],
      dropped,
      altered,
    };
  },
};
