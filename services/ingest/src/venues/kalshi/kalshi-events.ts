import type { CatalogueFact } from '@almanac/contracts';
import { categoryOf } from '../../values/category.js';
import { titleOf } from '../../values/title.js';
import type { CatalogueFormat } from '../catalogue-format.js';
import { marketOfKalshi } from './kalshi-markets.js';
import { objectsIn, recordFields } from '../../sources/record-fields.js';

/** Kalshi's event objects, with their markets if the request included them. */
export const kalshiEvents: CatalogueFormat = {
  name: 'kalshi-events',
  listKey: 'events',
  entityKind: 'events',
  is: (record) =>
    typeof record['event_ticker'] === 'string' &&
    record['ticker'] === undefined &&
    ['series_ticker', 'sub_title'].every((key) => key in record),
  read: (record, known, receivedUs) => {
    const { text, dropped, altered } = recordFields(record);
    const event: Extract<CatalogueFact, { kind: 'event' }> = {
      kind: 'event',
      event_ticker: text('event_ticker') ?? '',
      title: titleOf(text('title'), text('sub_title')),
      series: text('series_ticker'),
      // Kalshi is dropping the category of events in favour of the series' category. Older dumps have it.
      ...(categoryOf(text('category')) ?? known.series(text('series_ticker') ?? '')?.category),
    };
    known.see(event);
    const markets = objectsIn(record['markets']).map((market) => marketOfKalshi(market, known, receivedUs));
    return {
      facts: [event, ...markets.map(({ fact }) => fact)],
      dropped: [...dropped, ...markets.flatMap((market) => market.dropped)],
      altered: [...altered, ...markets.flatMap((market) => market.altered)],
    };
  },
};
