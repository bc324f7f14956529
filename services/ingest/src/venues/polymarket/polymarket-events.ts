import type { CatalogueFact } from '@almanac/contracts';
import type { CatalogueFormat } from '../catalogue-format.js';
import { factsOfGamma, gammaCategory, gammaFees, seriesLabel, seriesOf } from './polymarket-markets.js';
import { objectsIn, recordFields, textOf } from '../../sources/record-fields.js';

/** Event objects of Polymarket's gamma API, with their markets. */
export const polymarketEvents: CatalogueFormat = {
  name: 'polymarket-events',
  entityKind: 'events',
  is: (record) =>
    typeof record['slug'] === 'string' && typeof record['title'] === 'string' && Array.isArray(record['markets']),
  read: (record, _known, receivedUs) => {
    const { text, dropped, altered } = recordFields(record);
    const inside = objectsIn(record['markets']);
    const given = { around: {}, event: record, includesEvent: false, receivedUs };
    const markets = inside.map((market) => factsOfGamma(market, given));
    const market = markets[0]?.facts[0];
    const series = (market?.kind === 'market' ? market.series : null) ?? seriesOf(record);
    const category = gammaCategory(text('category'), textOf(inside[0]?.['feeType']));
    const facts: CatalogueFact[] = [
      { kind: 'event', event_ticker: text('slug') ?? '', title: text('title'), series, ...category },
    ];
    if (series !== null) {
      const label = seriesLabel(record, { title: text('title'), span: /-updown-(\d+[mh])$/.exec(series)?.[1] ?? null });
      facts.unshift({ kind: 'series', id: series, label, ...category, ...gammaFees(inside[0], receivedUs) });
    }
    return {
      facts: [...facts, ...markets.flatMap((each) => each.facts)],
      dropped: [...dropped, ...markets.flatMap((each) => each.dropped)],
      altered: [...altered, ...markets.flatMap((each) => each.altered)],
    };
  },
};
