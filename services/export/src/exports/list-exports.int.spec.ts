import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { subjects } from '@almanac/bus';
import { exportListResponse, type ExportListResponse } from '@almanac/contracts';
import { jetStreamStore } from '@almanac/event-store';
import { eventually } from '@almanac/testing';
import { unixMicros } from '@almanac/runtime';
import { endExport } from './end-export.js';
import { type ExportHarness, refuses, startRunningHarness } from '../testing/harness.js';
import { queryOf } from '../testing/queries.js';

describe('the list of exports', { timeout: 240_000 }, () => {
  let harness: ExportHarness;
  let account: string;
  let event: string;
  before(async () => {
    harness = await startRunningHarness();
  });
  after(() => harness.close());
  beforeEach(async () => {
    ({ account, event } = await harness.change());
  });

  const idsOf = (listed: ExportListResponse) => listed.exports.map(({ id }) => id);

  it('shows a request and its end at once', async () => {
    for (let round = 0; round < 4; round += 1) {
      const created = await harness.create({ event, format: 'json' });
      const listed = exportListResponse.strict().parse(await harness.list());
      assert.equal(listed.count, round + 1);
      const [first] = listed.exports;
      assert.deepEqual(
        [first?.id, first?.event, first?.series, first?.format, first?.streams, first?.filename, first?.created_ts],
        [created.id, event, 'KXTEST', 'json', created.streams, created.filename, created.created_ts],
      );
    }
    const { id } = await harness.create({ event });
    const ready = await harness.endsOnce(id);
    const [shown] = (await harness.list()).exports;
    assert.deepEqual(
      [shown?.status, shown?.bytes, shown?.row_count, shown?.ready_ts, shown?.error],
      ['ready', ready.file.bytes, ready.file.row_count, ready.ready_us / 1e6, null],
    );
  });

  it('filters by status, and shows why an export failed', async () => {
    const { id } = await harness.create({ event });
    const { id: lost } = await pending(account);
    const waiter = { account, export_id: lost };
    await harness.endsOnce(id);
    await endExport(jetStreamStore(harness.own), waiter, { type: 'fail', error: 'The archive broke.' });
    const failed = await harness.list({ status: 'failed' });
    assert.deepEqual([idsOf(failed), failed.exports[0]?.error], [[lost], 'The archive broke.']);
    assert.deepEqual(idsOf(await harness.list({ status: 'ready' })), [id]);
    assert.deepEqual(idsOf(await harness.list({ status: 'nonsense' })), []);
    assert.equal((await harness.list({ status: '' })).count, 2);
  });

  /** An export whose file no worker prepares: its event was handled, and the file is no longer requested. */
  const pending = async (of: string, requested_us = unixMicros()) => {
    const id = randomUUID();
    const query = queryOf({ event, series: 'S', streams: ['l2'] });
    const state = { status: 'pending', id, account: of, query, grant: 'plan', filename: 'f', requested_us };
    const stored = { id: randomUUID(), type: 'Tested', version: 1, time: 1, account: of, data: {} };
    const text = JSON.stringify({ ...stored, state: { ...state, file_key: randomUUID() } });
    await harness.own.js.publish(subjects.export(of, id), text);
    return { id };
  };

  it('continues by cursor without a repeat or a hole, newest first, even with equal times', async () => {
    const of = randomUUID();
    for (let n = 0; n < 25; n += 1) await pending(of, 1_700_000_000_000_000 + Math.floor(n / 5));
    const allExports = await harness.list({ limit: 100 }, of);
    assert.deepEqual([allExports.count, allExports.has_more, allExports.next_cursor], [25, false, null]);
    const times = allExports.exports.map(({ created_ts }) => created_ts);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: ExportListResponse = await harness.list({ limit: 4, cursor }, of);
      seen.push(...idsOf(page));
      cursor = page.next_cursor;
      // Exports created meanwhile are newer than the cursor.
      if (seen.length === 8) await pending(of);
    }
    assert.deepEqual(seen, idsOf(allExports));
    const { next_cursor } = await harness.list({ limit: 4 }, of);
    await refuses(harness.list({ cursor: next_cursor, status: 'ready' }, of), 'invalid_cursor');
    await refuses(harness.list({ cursor: 'x' }, of), 'invalid_cursor');
  });

  it('excludes other accounts, and reservations that were given up', async () => {
    await harness.create({ event });
    const other = randomUUID();
    assert.deepEqual(await harness.list({}, other), { count: 0, exports: [], has_more: false, next_cursor: null });
    const id = randomUUID();
    const state = { status: 'abandoned', id, account: other };
    const stored = { id: randomUUID(), type: 'ExportAbandoned', version: 1, time: 1, account: other, data: {} };
    await harness.own.js.publish(subjects.export(other, id), JSON.stringify({ ...stored, state }));
    await eventually(async () => assert.equal((await harness.list({}, other)).count, 0));
  });

  it('is complete while another process has events that it never writes, with at most three calls of the stream', async () => {
    const of = randomUUID();
    const other = await harness.inspector.js.consumers.get('EVT_EXPORT', 'export-list');
    const taking = other.fetch({ max_messages: 1, expires: 60_000 });
    const ids: string[] = [];
    let isTaken = false;
    const taken = (async () => {
      for await (const _message of await taking) isTaken = true;
    })();
    // Both processes ask for events, and the server gives each event to one of them.
    while (!isTaken) {
      ids.push((await pending(of, 1_700_000_000_000_000 + ids.length)).id);
      await delay(20);
    }
    await taken;
    let calls = 0;
    const count = { callback: () => void (calls += 1) };
    const operations = ['STREAM.INFO', 'CONSUMER.INFO', 'CONSUMER.CREATE', 'STREAM.MSG.GET'];
    const nc = await harness.inspector.connectTo('EVT_EXPORT');
    for (const one of operations) {
      nc.subscribe(`$JS.API.${one}.EVT_EXPORT.>`, count);
      nc.subscribe(`$JS.API.${one}.EVT_EXPORT`, count);
    }
    await nc.flush();
    // The service also compares its subscriptions with the stream from time to time.
    await eventually(async () => {
      calls = 0;
      const listed = await harness.list({ limit: 100 }, of);
      await nc.flush();
      assert.deepEqual(idsOf(listed), ids.toReversed().slice(0, 100));
      assert.ok(calls > 0 && calls <= 3, `${calls} calls`);
    });
    await nc.close();
    assert.deepEqual(idsOf(await harness.list({ status: 'ready' }, of)), []);
    const paged: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: ExportListResponse = await harness.list({ limit: 2, cursor }, of);
      paged.push(...idsOf(page));
      cursor = page.next_cursor;
    }
    assert.deepEqual(paged, ids.toReversed());
  });

  it('does not go back when events are redelivered', async () => {
    const { id } = await harness.create({ event });
    await harness.endsOnce(id);
    assert.equal((await harness.list()).exports[0]?.status, 'ready');
    await harness.stop();
    // The state after a process died between an insert and its acknowledgements.
    await harness.inspector.jsm.consumers.delete('EVT_EXPORT', 'export-list');
    await harness.start();
    await eventually(async () => assert.equal((await harness.list()).exports[0]?.status, 'ready'));
    assert.equal((await harness.list()).count, 1);
  });
});
