import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { deadLetterStream, durables, subjects } from '@almanac/bus';
import { eventually } from '@almanac/testing';
import { headers } from '@nats-io/transport-node';

import type { OperatorFixture } from '../../testing/operator-fixture.js';

/** Tests of `dead-letters`, on a fixture without one. */
export const deadLettersSuite = (of: () => OperatorFixture): void => {
  describe('dead letters', () => {
    let fixture: OperatorFixture;
    before(async () => {
      fixture = of();
    });

    const lettersN = async (): Promise<number> =>
      (await fixture.admin.jsm.streams.info(deadLetterStream)).state.messages;
    const storeDeadLetter = async (subject: string, seq: number): Promise<void> => {
      const letterHeaders = headers();
      letterHeaders.set('Almanac-Subject', subject);
      letterHeaders.set('Almanac-Sequence', String(seq));
      letterHeaders.set('Almanac-Reason', 'the store says no');
      await fixture.admin.js.publish(subjects.dead(durables.commerceExports), '', { headers: letterHeaders });
    };

    it('are listed with their events and reasons, and one that can never be processed is dropped', async () => {
      assert.equal(await fixture.ok('dead-letters'), 'No dead letters.\n');
      await fixture.admin.js.publish(subjects.export('a', 'junk'), 'no event');
      await eventually(async () => assert.equal(await lettersN(), 1));
      const shown = await fixture.ok('dead-letters');
      assert.match(
        shown,
        /^1 {2}\d{4}-\S+ \S+ UTC {2}commerce-exports {2}evt\.export\.a\.junk \(1\)\n {4}\S.*JSON.*\n1 dead letter\n$/,
      );
      const tried = await fixture.fails('dead-letters', 'retry', '1');
      assert.match(tried, /^1 \(commerce-exports\): still fails: .*JSON.*\n1 dead letter could not be processed\.\n$/);
      assert.match(await fixture.refused('dead-letters', 'drop', '1'), /will never be done\. To confirm, add --yes\.$/);
      assert.match(await fixture.refused('dead-letters', 'drop', '7'), /^No dead letter has the number 7\.$/);
      assert.match(await fixture.refused('dead-letters', 'retry'), /^Name the dead letter by its number/);
      assert.equal(await lettersN(), 1);
      assert.equal(await fixture.ok('dead-letters', 'drop', '1', '--yes'), 'Removed 1 dead letter.\n');
      assert.equal(await lettersN(), 0);
    });

    it('are handled and removed once they can be processed', async () => {
      const { account } = await fixture.create();
      await fixture.requestExport(account, 'e1', 'EV-1');
      const { state } = await fixture.admin.jsm.streams.info('EVT_EXPORT');
      for (const seq of [state.last_seq - 1, state.last_seq])
        await storeDeadLetter(subjects.export(account, 'e1'), seq);
      const done = await fixture.ok('dead-letters', 'retry', 'all');
      assert.match(done, /^2 \(commerce-exports\): done\n3 \(commerce-exports\): done\n$/);
      assert.equal(await fixture.ok('dead-letters'), 'No dead letters.\n');
      assert.match(await fixture.refused('dead-letters', 'retry', 'all'), /^No dead letters\.$/);
    });

    it('of messages that are no events are listed and acknowledged, while their account works', async () => {
      const { account, key } = await fixture.create();
      const junk = '{"no":"event"}';
      const { seq } = await fixture.admin.js.publish(subjects.keyring(account), junk);
      assert.ok(await fixture.opens(key));
      await eventually(async () => assert.match(await fixture.ok('dead-letters'), /^1 dead letter$/m));
      const shown = await fixture.ok('dead-letters');
      const [, number = ''] = /^(\d+) /.exec(shown) ?? [];
      assert.match(shown, new RegExp(`^\\d+ .* unreadable {2}evt\\.keys\\.${account} \\(${seq}\\)\n`));
      assert.match(await fixture.fails('doctor'), /^1 message of an event stream cannot be read as an event\.$/m);
      assert.match(
        await fixture.refused('dead-letters', 'drop', number, '--yes'),
        /is not an event\. Use dead-letters acknowledge\.$/,
      );
      assert.match(await fixture.refused('dead-letters', 'retry', 'all'), /^No dead letters\.$/);
      assert.equal(await fixture.ok('dead-letters', 'acknowledge', number), 'Acknowledged 1 message.\n');
      assert.equal(await fixture.ok('dead-letters'), 'No dead letters.\n');
      assert.doesNotMatch(await fixture.fails('doctor'), /cannot be read as an event/);
      await fixture.ok('key', 'create', '--account', account);
      assert.equal((await fixture.admin.jsm.streams.getMessage('EVT_KEYS', { seq }))?.string(), junk);
      await fixture.admin.js.publish(subjects.account(account), junk);
      await fixture.admin.js.publish(subjects.account('0123456789ab'), junk);
      assert.match(await fixture.fails('account', 'list'), new RegExp(`^${account} `, 'm'));
    });
  });
};
