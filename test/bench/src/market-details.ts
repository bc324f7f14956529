import { subjects } from '@almanac/bus';
import { presentMarket, provenanceOf, termsOf } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';
import { marketDecider } from '../../../services/catalog/dist/market/market.decider.js';
import { shapeOf } from '../../../services/catalog/dist/market/markets.js';
import { seriesDecider } from '../../../services/catalog/dist/series/series.decider.js';
import { catalogueData } from './catalogue-data.js';
import type { BenchSize } from './size.js';

/**
 * The catalog answers for one in `every` markets of the generated catalogue, built here, so that the running system has
 * never been queried for them.
 */
export const marketDetails = ({ catalogue, details: { every } }: BenchSize): Map<string, Buffer> => {
  const details = new Map<string, Buffer>();
  const nowUs = unixMicros();
  let market = 0;
  for (const { series, events } of catalogueData(catalogue)) {
    const { kind: _series, ...seriesFields } = series;
    const state = seriesDecider.evolve(undefined, { type: 'SeriesRecorded', data: seriesFields });
    const states = new Map([[subjects.series(state.id), state]]);
    for (const { markets } of events) {
      for (const { kind: _market, ...fact } of markets) {
        market += 1;
        if (market % every !== 0) continue;
        const recorded = marketDecider.evolve(undefined, { type: 'MarketRecorded', data: fact });
        const shown = presentMarket(recorded, shapeOf(states, recorded), nowUs);
        const { terms } = termsOf(recorded, state, nowUs);
        const detail = { source: 'archive', market: shown, ...provenanceOf(recorded, nowUs), ...terms };
        details.set(fact.ticker, Buffer.from(JSON.stringify(detail)));
      }
    }
  }
  return details;
};
