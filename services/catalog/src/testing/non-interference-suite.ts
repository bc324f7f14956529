import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { catalogRpc } from '@almanac/contracts';
import { seededRandom } from '@almanac/testing';
import { answersTo, type Request } from './answers.js';
import { type CatalogHarness, recordInParts } from './harness.js';
import { factsOf, knownBy, openUs, randomStatements, seriesOf, seriesWithFees, undatedFacts } from './twin-events.js';

const { eventDetail, listMarkets, marketDetail, seriesDetail } = catalogRpc;
const second = 1_000_000;
const openS = openUs / second;

export interface NonInterference {
  readonly seed: number;
  readonly events: number;
  /** Times for each event. Each needs a twin with what was known then. */
  readonly times: number;
}

/**
 * An answer as of a time depends on nothing that was known later: an event with all statements, and one that got only those
 * that were known by then, have the same answers to the byte.
 */
export const describeNonInterference = (
  harnessOf: () => CatalogHarness,
  { seed, events, times }: NonInterference,
): void => {
  describe('answers of the catalogue as of a time', () => {
    let harness: CatalogHarness;
    before(async () => {
      harness = harnessOf();
      await harness.recorded(seriesWithFees);
    });

    /** The answers about an event and its markets, with a common name. A refusal is an answer, too. */
    const answersOf = async (name: string, as_of: number): Promise<Map<string, string>> => {
      const requests: Request[] = [
        ['event', () => harness.call('gateway', eventDetail, { event_id: `E-${name}`, as_of })],
        ['list', () => harness.call('gateway', listMarkets, { event: `E-${name}`, as_of })],
        ['recent', () => harness.call('gateway', listMarkets, { series: seriesOf(name), as_of })],
        ['by words', () => harness.call('gateway', listMarkets, { series: seriesOf(name), q: 'title one', as_of })],
        ['series', () => harness.call('gateway', seriesDetail, { series_id: seriesOf(name), limit: 3, as_of })],
        [
          'series by words',
          () => harness.call('gateway', seriesDetail, { series_id: seriesOf(name), q: 'two', status: 'live', as_of }),
        ],
        ['page', () => harness.call('gateway', eventDetail, { event_id: `E-${name}`, limit: 1, as_of })],
        ...['closed', 'live'].map((status): Request => {
          const input = { series: seriesOf(name), status, days: 7, limit: 2, as_of };
          return [status, () => harness.call('gateway', listMarkets, input)];
        }),
        ...[0, 1, 2, 3].map((at): Request => {
          const input = { ticker: `E-${name}-${at}`, as_of };
          return [`market ${at}`, () => harness.call('gateway', marketDetail, input)];
        }),
      ];
      const answers = await answersTo(requests);
      const common = (answer: string): string =>
        answer
          .replaceAll(`E-${name}`, 'E')
          .replaceAll(seriesOf(name), 'S')
          .replaceAll(/"next_cursor":"[^"]+"/g, '"next_cursor":"…"');
      return new Map([...answers].map(([what, answer]) => [what, common(answer)]));
    };

    it(`do not depend on anything that was known later (property, seed ${seed})`, async () => {
      const random = seededRandom(seed);
      let shown = 0;
      for (let event = 0; event < events; event += 1) {
        const statements = randomStatements(random);
        const twins = Array.from({ length: times }, (_, time) => ({
          name: `by${event}x${time}`,
          asOf: openS + Math.floor(random() * 1_000) - 100,
        }));
        await recordInParts(harness, [
          ...factsOf(statements, `whole${event}`),
          ...undatedFacts(statements, `whole${event}`),
          ...twins.flatMap(({ name, asOf }) => factsOf(knownBy(statements, asOf * second), name)),
        ]);
        const compared = twins.map(async ({ name, asOf }) => {
          const [whole, part] = [await answersOf(`whole${event}`, asOf), await answersOf(name, asOf)];
          for (const [what, answer] of whole) {
            assert.equal(answer, part.get(what), `${what} of event ${event} as of ${asOf}`);
            if (!answer.includes('_not_found')) shown += 1;
          }
        });
        await Promise.all(compared);
      }
      assert.ok(shown > events * times, `only ${shown} answers were about known markets`);
    });
  });
};
