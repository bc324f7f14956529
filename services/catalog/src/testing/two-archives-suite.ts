import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalogRpc } from '@almanac/contracts';
import { seededRandom } from '@almanac/testing';
import { answersTo, type Request } from './answers.js';
import { type CatalogHarness, recordInParts, startHarness } from './harness.js';
import type { NonInterference } from './non-interference-suite.js';
import { factsOf, knownBy, openUs, randomStatements, undatedFacts } from './twin-events.js';

type Content = ReturnType<typeof randomStatements>;

const { categories, listMarkets, listSeries, search } = catalogRpc;
const second = 1_000_000;
const openS = openUs / second;

const windows = [{}, { from_ts: openS + 250 }, { from_ts: openS + 250, to_ts: openS + 350 }] as const;
const texts = ['', 'title two', 'tit', 'E-all1', 'e-all0-1', 'all0 crypto', 'on crypto', 'titles', 'titulo'] as const;
const filters = [{}, { status: 'live' }, { status: 'closed', category: 'crypto' }, { status: 'finalized' }] as const;

/** Reads of everything: each text with some of the filters. */
const readsOfAll = (harness: CatalogHarness, as_of: number): Request[] => [
  ['categories', () => harness.call('gateway', categories, { as_of })],
  ...[...texts, ...texts, ...texts].flatMap((q, index): Request[] => {
    const filter = filters[(index + Math.floor(index / texts.length)) % filters.length];
    const input = { q, ...filter, ...windows[Math.floor(index / texts.length)], as_of };
    const name = JSON.stringify(input);
    return [
      [`search ${name}`, () => harness.call('gateway', search, { ...input, limit: 200 })],
      [`series ${name}`, () => harness.call('gateway', listSeries, { ...input, limit: 3 })],
      [`markets ${name}`, () => harness.call('gateway', listMarkets, { ...input, limit: 5 })],
    ];
  }),
];

/** Lists and search as of a time are those of an archive that has only what was known by then. The whole archive is empty at first. */
export const describeTwoArchives = (wholeOf: () => CatalogHarness, { seed, events, times }: NonInterference): void => {
  describe('lists and search as of a time', () => {
    /** What an archive with the parts of the content that were known at a time answers about it. */
    const answersOfPart = async (content: readonly Content[], asOf: number): Promise<Map<string, string>> => {
      const part = await startHarness();
      try {
        const known = content.map((statements) => knownBy(statements, asOf * second));
        await recordInParts(
          part,
          known.flatMap((statements, event) => factsOf(statements, `all${event}`)),
        );
        return await answersTo(readsOfAll(part, asOf));
      } finally {
        await part.stop();
      }
    };

    it(`are those of an archive that has only what was known by then (property, seed ${seed})`, async () => {
      const random = seededRandom(seed);
      const content = Array.from({ length: events }, () => randomStatements(random));
      const whole = wholeOf();
      const everything = content.flatMap((statements, event) => [
        ...factsOf(statements, `all${event}`),
        ...undatedFacts(statements, `all${event}`),
      ]);
      await recordInParts(whole, everything);
      for (let time = 0; time < times; time += 1) {
        // Early times have markets that are listed later.
        const asOf = openS - 60 + Math.floor(random() * (time % 2 === 0 ? 100 : 800));
        const expected = await answersOfPart(content, asOf);
        for (const [name, answer] of await answersTo(readsOfAll(whole, asOf)))
          assert.equal(answer, expected.get(name), `${name} of event 0 as of ${asOf}`);
        const found = [...expected].filter(
          ([name, answer]) => name.startsWith('search') && !answer.includes('"count":0'),
        );
        assert.ok(found.length > 4, `only ${found.length} searches found something`);
      }
    });
  });
};
