import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogueFact, type CatalogueFact } from '@almanac/contracts';
import { dryRunArchive, type RecordOutcome } from '../archive.js';
import { catalogueBatchSender } from './catalogue-batch-sender.js';

const bad: readonly (readonly [CatalogueFact, string])[] = [
  [{ kind: 'market', ticker: '' }, 'no ticker'],
  [{ kind: 'series', id: '' }, 'no id'],
  [{ kind: 'event', event_ticker: '' }, 'no event_ticker'],
  [{ kind: 'market', ticker: 'A', close_us: Number.NaN }, 'close_us is not valid'],
  [{ kind: 'market', ticker: 'A', title: 'x'.repeat(2_000_000) }, 'its texts are too long'],
];

test('a fact that the archive would refuse costs itself, and not the batch that it is in', async () => {
  const sent: CatalogueFact[] = [];
  const sender = catalogueBatchSender({
    ...dryRunArchive,
    recordCatalogue: (facts) => {
      for (const fact of facts) sent.push(catalogueFact.parse(fact));
      return Promise.resolve(facts.map(() => ({ outcome: 'created' })));
    },
  });
  const outcomes: RecordOutcome[] = [];
  const settle = (outcome: RecordOutcome): void => void outcomes.push(outcome);
  for (const [fact] of bad) await sender.add(fact, settle);
  await sender.add({ kind: 'market', ticker: 'GOOD' }, settle);
  await sender.flush();
  assert.deepEqual(outcomes, [...bad.map(([, reason]) => ({ outcome: 'refused', reason })), { outcome: 'created' }]);
  assert.deepEqual(sent, [catalogueFact.parse({ kind: 'market', ticker: 'GOOD' })]);
});
