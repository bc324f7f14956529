import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isValidId } from '@almanac/bus';
import { rejectionReason } from '../../../services/catalog/dist/record/validate-fact.js';
import { catalogueData, endS, liveS, spanS } from './catalogue-data.js';
import { kinds } from './catalogue-kinds.js';
import { full, smoke } from './size.js';

const sizes = { smoke: smoke.catalogue, 'smoke, grown': smoke.grownCatalogue };

it('the catalogue of the bench has in its full size the configured numbers', () => {
  const { seriesN, eventsN, marketsN } = full.catalogue;
  const sum = (of: (kind: (typeof kinds)[number]) => number): number =>
    kinds.reduce((total, kind) => total + kind.subjects.length * of(kind), 0);
  const found = [sum(() => 1), sum(({ events }) => events), sum(({ events, markets }) => events * markets)];
  assert.deepEqual(found, [seriesN, eventsN, marketsN]);
});

for (const [name, size] of Object.entries(sizes)) {
  describe(`the catalogue of the bench, ${name}`, () => {
    it('has the configured numbers of series, events and markets, each with its own valid id', () => {
      const names = new Set<string>();
      let markets = 0;
      for (const { series, events } of catalogueData(size)) {
        names.add(series.id);
        for (const { event, markets: its } of events) {
          names.add(event.event_ticker);
          markets += its.length;
          assert.equal(new Set(its.map(({ ticker }) => ticker)).size, its.length, event.event_ticker);
          for (const market of [its[0], its.at(-1)]) {
            assert.ok(market !== undefined);
            assert.equal(rejectionReason(market), null, market.ticker);
            assert.ok(market.ticker.startsWith(`${event.event_ticker}-`) && isValidId(market.ticker));
          }
        }
      }
      assert.deepEqual([names.size, markets], [size.seriesN + size.eventsN, size.marketsN]);
    });

    it('closes over two years, and one event of each series is live', () => {
      for (const { series, events } of catalogueData(size)) {
        const closes = [...events].map(({ markets }) => (markets[0]?.close_us ?? 0) / 1e6);
        assert.equal(closes.filter((close) => close >= liveS).length, 1, series.id);
        assert.ok(
          closes.every((close) => close >= endS - spanS),
          series.id,
        );
        assert.ok(
          closes.filter((close) => close < liveS).every((close) => close <= endS + 5 * 86_400),
          series.id,
        );
      }
    });
  });
}
