import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { deadLetterStream, durables, subjects } from '@almanac/bus';
import { eventually } from '@almanac/testing';
import { headers } from '@nats-io/transport-node';

import { type OperatorWorld, startOperatorWorld } from './testing/operator-world.js';

describe('dead letters', () => {
  let world: OperatorWorld;
  before(async () => {
    world = await startOperatorWorld();
  });
  after(() => world.stop());

  const lettersN = async (): Promise<number> => (await world.admin.jsm.streams.info(deadLetterStream)).state.messages;
  const takeAside = async (subject: string, seq: number): Promise<void> => {
    const told = headers();
    told.set('Almanac-Subject', subject);
    told.set('Almanac-Sequence', String(seq));
    told.set('Almanac-Reason', 'the store says no');
    await world.admin.js.publish(subjects.dead(durables.commerceExports), '', { headers: told });
  };

  it('are named with their events and reasons, and one that can never be processed is dropped', async () => {
    assert.equal(await world.ok('dead-letters'), 'No dead letters.\n');
    await world.admin.js.publish(subjects.export('a', 'junk'), 'no event');
    await eventually(async () => assert.equal(await lettersN(), 1));
    const shown = await world.ok('dead-letters');
    assert.match(
      shown,
      /^1 {2}\d{4}-\S+ \S+ UTC {2}commerce-exports {2}evt\.export\.a\.junk \(1\)\n {4}\S.*JSON.*\n1 dead letter\n$/,
    );
    const tried = await world.fails('dead-letters', 'retry', '1');
    assert.match(tried, /^1 \(commerce-exports\): still fails: .*JSON.*\n1 dead letter could not be processed\.\n$/);
    assert.match(await world.refused('dead-letters', 'drop', '1'), /will never be done\. To confirm, add --yes\.$/);
    assert.match(await world.refused('dead-letters', 'drop', '7'), /^No dead letter has the number 7\.$/);
    assert.match(await world.refused('dead-letters', 'retry'), /^Name the dead letter by its number/);
    assert.equal(await lettersN(), 1);
    assert.equal(await world.ok('dead-letters', 'drop', '1', '--yes'), 'Removed 1 dead letter.\n');
    assert.equal(await lettersN(), 0);
  });

  it('that can be processed by now are done, and gone', async () => {
    const { account } = await world.create();
    await world.requestExport(account, 'e1', 'EV-1');
    const { state } = await world.admin.jsm.streams.info('EVT_EXPORT');
    for (const seq of [state.last_seq - 1, state.last_seq]) await takeAside(subjects.export(account, 'e1'), seq);
    const done = await world.ok('dead-letters', 'retry', 'all');
    assert.match(done, /^2 \(commerce-exports\): done\n3 \(commerce-exports\): done\n$/);
    assert.equal(await world.ok('dead-letters'), 'No dead letters.\n');
    assert.match(await world.refused('dead-letters', 'retry', 'all'), /^No dead letters\.$/);
  });
});
