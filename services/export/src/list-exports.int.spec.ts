import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { exportListResponse, type ExportListResponse } from '@almanac/contracts';
import { jetStreamStore } from '@almanac/event-store';
import { eventually } from '@almanac/testing';
import { endExport } from './exports/end-export.js';
import { startExport } from './start.js';
import { openStage, refuses, type Stage } from './testing/stage.js';
import { testRuntime } from './testing/world.js';

describe('the list of exports', { timeout: 240_000 }, () => {
  let stage: Stage;
  let stop: () => Promise<void>;
  let account: string;
  let event: string;
  before(async () => {
    stage = await openStage();
    const started = testRuntime();
    ({ stop } = started);
    await startExport(stage.world.config, started.runtime);
  });
  after(async () => {
    await stop();
    await stage.close();
  });
  beforeEach(async () => {
    ({ account, event } = await stage.change());
  });

  const idsOf = (listed: ExportListResponse) => listed.exports.map(({ id }) => id);

  it('shows at once what was asked for, and how it ended', async () => {
    for (let round = 0; round < 10; round += 1) {
      const created = await stage.create({ event, format: 'json' });
      const listed = exportListResponse.strict().parse(await stage.list());
      assert.equal(listed.count, round + 1);
      const [first] = listed.exports;
      assert.deepEqual(
        [first?.id, first?.event, first?.series, first?.format, first?.streams, first?.filename, first?.created_ts],
        [created.id, event, 'KXTEST', 'json', created.streams, created.filename, created.created_ts],
      );
    }
    const { id } = await stage.create({ event });
    const ready = await stage.endsOnce(id);
    const [shown] = (await stage.list()).exports;
    assert.deepEqual(
      [shown?.status, shown?.bytes, shown?.row_count, shown?.ready_ts, shown?.error],
      ['ready', ready.file.bytes, ready.file.row_count, ready.ready_us / 1e6, null],
    );
  });

  it('is narrowed by a status, and shows why one failed', async () => {
    const { id } = await stage.create({ event });
    const { id: lost } = await pending(account);
    const waiter = { account, export_id: lost };
    await stage.endsOnce(id);
    await endExport(jetStreamStore(stage.own), waiter, { type: 'fail', error: 'The archive broke.' });
    const failed = await stage.list({ status: 'failed' });
    assert.deepEqual([idsOf(failed), failed.exports[0]?.error], [[lost], 'The archive broke.']);
    assert.deepEqual(idsOf(await stage.list({ status: 'ready' })), [id]);
    assert.deepEqual(idsOf(await stage.list({ status: 'nonsense' })), []);
    assert.equal((await stage.list({ status: '' })).count, 2);
  });

  /** An export whose file nobody prepares: its event was heard, and it is not wanted any more. */
  const pending = async (of: string, requested_us = Date.now() * 1_000) => {
    const id = randomUUID();
    const question = { event, ticker: null, series: 'S', day: null, streams: ['l2' as const], format: 'csv' as const };
    const state = { status: 'pending', id, account: of, question, grant: 'plan', filename: 'f', requested_us };
    const stored = { id: randomUUID(), type: 'Tested', version: 1, time: 1, account: of, data: {} };
    const text = JSON.stringify({ ...stored, state: { ...state, file_key: randomUUID() } });
    await stage.own.js.publish(subjects.export(of, id), text);
    return { id };
  };

  it('goes on by its cursor without a repeat or a hole, newest first, among equal times too', async () => {
    const of = randomUUID();
    for (let n = 0; n < 25; n += 1) await pending(of, 1_700_000_000_000_000 + Math.floor(n / 5));
    const whole = await stage.list({ limit: 100 }, of);
    assert.deepEqual([whole.count, whole.has_more, whole.next_cursor], [25, false, null]);
    const times = whole.exports.map(({ created_ts }) => created_ts);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: ExportListResponse = await stage.list({ limit: 4, cursor }, of);
      seen.push(...idsOf(page));
      cursor = page.next_cursor;
      // What is asked for meanwhile is newer than where the cursor stands.
      if (seen.length === 8) await pending(of);
    }
    assert.deepEqual(seen, idsOf(whole));
    const { next_cursor } = await stage.list({ limit: 4 }, of);
    await refuses(stage.list({ cursor: next_cursor, status: 'ready' }, of), 'invalid_cursor');
    await refuses(stage.list({ cursor: 'x' }, of), 'invalid_cursor');
  });

  it('has nothing of another account, and no reservation that was given up', async () => {
    await stage.create({ event });
    const other = randomUUID();
    assert.deepEqual(await stage.list({}, other), { count: 0, exports: [], has_more: false, next_cursor: null });
    const id = randomUUID();
    const state = { status: 'abandoned', id, account: other };
    const stored = { id: randomUUID(), type: 'ExportAbandoned', version: 1, time: 1, account: other, data: {} };
    await stage.own.js.publish(subjects.export(other, id), JSON.stringify({ ...stored, state }));
    await eventually(async () => assert.equal((await stage.list({}, other)).count, 0));
  });

  it('does not go back when events are heard again', async () => {
    const { id } = await stage.create({ event });
    await stage.endsOnce(id);
    assert.equal((await stage.list()).exports[0]?.status, 'ready');
    await stop();
    // As a process that died between an insert and its acknowledgements leaves it.
    const started = testRuntime();
    ({ stop } = started);
    await stage.inspector.jsm.consumers.delete('EVT_EXPORT', 'export-list');
    await startExport(stage.world.config, started.runtime);
    await eventually(async () => assert.equal((await stage.list()).exports[0]?.status, 'ready'));
    assert.equal((await stage.list()).count, 1);
  });
});
