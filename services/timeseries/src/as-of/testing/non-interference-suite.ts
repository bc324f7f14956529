import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Bus } from '@almanac/bus';
import { seededRandom } from '@almanac/testing';
import { startHarness, type TimeseriesHarness } from '../../testing/harness.js';
import { serveCatalogStub } from './catalog-stub.js';
import { pastReads } from './past-reads.js';
import { knownBy, randomAsOf, randomContent, storeContent } from './twin-markets.js';

export interface NonInterference {
  readonly seed: number;
  readonly markets: number;
  /** Times for each market. Each needs a market of its own with what was known then. */
  readonly times: number;
}

/**
 * An answer as of a time depends on nothing that was known later: a market with everything, and one that has only what was
 * known by then, have the same answers to the byte.
 */
export const describeNonInterference = ({ seed, markets, times }: NonInterference): void => {
  describe('answers as of a time', () => {
    let tested: TimeseriesHarness;
    let catalog: Bus;
    let serving: Awaited<ReturnType<typeof serveCatalogStub>>;

    before(async () => {
      tested = await startHarness();
      catalog = await tested.fixture.busOf('catalog');
      serving = await serveCatalogStub(catalog);
      await tested.fixture.series({ id: 'S', shape: 'rolling' });
    });
    after(async () => {
      await serving.stop();
      await catalog.close();
      await tested.stop();
    });

    it(`do not depend on anything that was known later (property, seed ${seed})`, async () => {
      const random = seededRandom(seed);
      const reads = pastReads(tested.callers);
      let shown = 0;
      for (let market = 0; market < markets; market += 1) {
        const content = randomContent(random);
        const asOfs = Array.from({ length: times }, () => randomAsOf(random, content));
        const whole = await storeContent(tested, content, { isWhole: true });
        const compared = asOfs.map(async (asOf) => {
          const twin = await storeContent(tested, knownBy(content, asOf * 1_000_000), { isWhole: false });
          for (const [name, read] of reads) {
            const answer = await read(whole, asOf);
            assert.equal(answer, await read(twin, asOf), `${name} as of ${asOf}, market ${market}`);
            if (!answer.startsWith('market_not_found')) shown += 1;
          }
        });
        await Promise.all(compared);
      }
      assert.ok(shown > markets * times, `only ${shown} answers were about a known market`);
    });
  });
};
