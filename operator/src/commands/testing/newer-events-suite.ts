import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { deadLetterStream, durables, lastEvent, NewerEventError, subjects } from '@almanac/bus';
import { keysRpc, unlockState } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import type { OperatorFixture } from '../../testing/operator-fixture.js';

/** Tests of `newer-events`, on a fixture without one. */
export const newerEventsSuite = (of: () => OperatorFixture): void => {
  describe('newer events', () => {
    let fixture: OperatorFixture;
    before(async () => {
      fixture = of();
    });

    /** Publishes an event of no release of ours. */
    const forge = async (subject: string, type: string): Promise<number> => {
      const event = { id: 'forged', type, version: 1, time: 1, account: null, format: 999, data: {}, state: {} };
      return (await fixture.admin.js.publish(subject, JSON.stringify(event))).seq;
    };
    const lastOf = async (subject: string): Promise<Record<string, unknown>> => {
      const message = await fixture.admin.jsm.streams.getMessage('EVT_KEYS', { last_by_subj: subject });
      return message?.json() ?? assert.fail(`${subject} has no message`);
    };

    it('hold an account until they are discarded; then it goes on from its last readable event', async () => {
      assert.equal(await fixture.ok('newer-events'), 'No newer events.\n');
      const { account, key } = await fixture.create();
      const subject = subjects.keyring(account);
      const lastGood = await lastOf(subject);
      const seqs = [await forge(subject, 'KeysPaused'), await forge(subject, 'KeysPaused')];
      // Reads go on. A change is refused for ever.
      assert.ok(await fixture.opens(key));
      const create = () => fixture.asUser(account, keysRpc.create, { name: 'another' });
      await assert.rejects(create(), /is being upgraded/);

      const listed = new RegExp(
        `^${subject} {2}KeysPaused \\(${seqs[1]}\\), KeysPaused \\(${seqs[0]}\\)\\n {4}last readable: \\w+ \\(\\d+\\) of \\d{4}-.*\\n1 subject\\n$`,
      );
      await eventually(async () => assert.match(await fixture.ok('newer-events'), listed));
      assert.match(
        await fixture.refused('newer-events', 'discard', subject),
        /^What 2 newer events of 1 subject say is lost\./,
      );
      assert.match(await fixture.refused('newer-events', 'discard'), /^Name the subject/);
      assert.match(
        await fixture.refused('newer-events', 'discard', 'evt.keys.*', '--yes'),
        /no stream has the subject/,
      );
      assert.match(
        await fixture.ok('newer-events', 'discard', subject, '--yes'),
        new RegExp(`^${subject}: discarded 2 events; last readable: ${String(lastGood['type'])} `),
      );

      assert.deepEqual(await lastOf(subject), { ...lastGood, discards: seqs[1] });
      await create();
      assert.ok(await fixture.opens(key));
      assert.equal(await fixture.ok('newer-events'), 'No newer events.\n');
      assert.match(await fixture.refused('newer-events', 'discard', 'all', '--yes'), /^No newer events\.$/);
      assert.match(await fixture.refused('newer-events', 'discard', subject, '--yes'), /^No newer events\.$/);
    });

    it('that are the first of their subject leave no entity behind', async () => {
      const { account } = await fixture.create();
      const subject = subjects.unlock(account, 'EV-1');
      const seq = await forge(subject, 'Paused');
      const unlock = () => lastEvent(fixture.admin, { stream: 'EVT_COMMERCE', subject, state: unlockState });
      await assert.rejects(unlock(), NewerEventError);
      const discarded = await fixture.ok('newer-events', 'discard', subject, '--yes');
      assert.equal(discarded, `${subject}: discarded 1 event; no event can be read\n`);
      const { message, lastSeq, newer } = await unlock();
      assert.deepEqual([message, newer], [undefined, undefined]);
      assert.ok(lastSeq > seq);
    });

    it('that a consumer holds are passed over, and it reads on behind them', async () => {
      const { account } = await fixture.create();
      await fixture.requestExport(account, 'e1', 'EV-1');
      const subject = subjects.export(account, 'e1');
      const position = async (): Promise<number> =>
        (await fixture.admin.jsm.consumers.info('EVT_EXPORT', durables.commerceExports)).ack_floor.stream_seq;
      const seq = await forge(subject, 'ExportPaused');
      const isListed = new RegExp(`^${subject} {2}not read: no process runs that keeps EVT_EXPORT$`, 'm');
      await eventually(async () => assert.match(await fixture.ok('newer-events'), isListed));
      assert.ok((await position()) < seq);
      // No process of export runs in this test, which keeps the stream.
      assert.match(
        await fixture.fails('newer-events', 'discard', subject, '--yes'),
        /no process runs that keeps EVT_EXPORT/,
      );
      const copy = await fixture.admin.jsm.streams.getMessage('EVT_EXPORT', { seq: seq - 1 });
      await fixture.admin.js.publish(subject, JSON.stringify({ ...copy?.json<object>(), discards: seq }));
      await eventually(async () => assert.ok((await position()) > seq), { timeoutMs: 60_000 });
      const { state } = await fixture.admin.jsm.streams.info(deadLetterStream, { subjects_filter: '>' });
      assert.ok(!Object.keys(state.subjects ?? {}).includes(subjects.dead(durables.commerceExports)));
    });
  });
};
