import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { consumerPosition, durables, subjects } from '@almanac/bus';
import { command, RebuildRefusedError, rows } from '@almanac/clickhouse';
import { jetStreamStore } from '@almanac/event-store';
import { eventually } from '@almanac/testing';
import { endExport } from '../exports/end-export.js';
import { type ExportHarness, startRunningHarness } from '../testing/harness.js';
import { queryOf } from '../testing/queries.js';
import { rebuildList, type RebuildDeps } from './rebuild-list.js';

const query = queryOf({ event: 'E', series: 'S', streams: ['l2'] });

describe('a rebuild of the list of exports', { timeout: 240_000 }, () => {
  let harness: ExportHarness;
  const account = randomUUID();
  before(async () => {
    harness = await startRunningHarness();
    for (let n = 0; n < 20; n += 1) await record();
  });
  after(() => harness.close());

  /** A pending export whose file no worker prepares. */
  const record = async (): Promise<string> => {
    const id = randomUUID();
    const common = { id, account, query, grant: 'plan', filename: 'f', requested_us: 1, file_key: 'k' };
    const stored = { id: randomUUID(), type: 'Tested', version: 1, time: 1, account, data: {} };
    const text = JSON.stringify({ ...stored, state: { ...common, status: 'pending' } });
    await harness.own.js.publish(subjects.export(account, id), text);
    return id;
  };
  const deps = (): RebuildDeps => ({
    bus: harness.own,
    clickhouse: harness.fixture.operator,
    onUnreadable: (error) => assert.fail(String(error)),
    signal: new AbortController().signal,
    expiryMs: 2_000,
  });
  /** All rows of the list, once it contains everything that was recorded. */
  const seen = async (): Promise<unknown[]> => {
    await eventually(async () => {
      const { lastSeq, acknowledged } = await consumerPosition(harness.inspector, 'EVT_EXPORT', durables.exportList);
      assert.equal(acknowledged, lastSeq);
    });
    return rows(harness.fixture.operator, { sql: 'SELECT * FROM exports FINAL ORDER BY account, requested_us, id' });
  };

  it('creates every row that the service wrote, and no other', async () => {
    const failed = await record();
    await endExport(jetStreamStore(harness.own), { account, export_id: failed }, { type: 'fail', error: 'why' });
    const expected = await seen();
    assert.equal(expected.length, 21);
    await command(harness.fixture.operator, { sql: 'TRUNCATE TABLE exports' });
    const wrong = `INSERT INTO exports (account, requested_us, id, status, seq) VALUES ('X', 1, 'none', 'ready', 1)`;
    await command(harness.fixture.operator, { sql: wrong });
    assert.equal(await rebuildList(deps()), 22);
    assert.deepEqual(await seen(), expected);
    const sql = `SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%\\_rebuild%'`;
    assert.deepEqual(await rows(harness.fixture.operator, { sql }), []);
  });

  it('is invisible to those who request and read meanwhile', async () => {
    const ended = new AbortController();
    let added = 0;
    const polling = (async () => {
      for (; !ended.signal.aborted && added < 40; added += 1) {
        const id = await record();
        const { exports } = await harness.list({ limit: 100 }, account);
        assert.ok(exports.some((shown) => shown.id === id));
      }
    })();
    const stored = 21;
    for (let round = 0; round < 2; round += 1) await rebuildList(deps());
    ended.abort();
    await polling;
    assert.ok(added > 0);
    await rebuildList(deps());
    assert.equal((await seen()).length, stored + added);
  });

  it('is refused while another one runs', async () => {
    const both = await Promise.allSettled([rebuildList(deps()), rebuildList(deps())]);
    const refused = both.filter((outcome) => outcome.status === 'rejected');
    assert.equal(refused.length, 1);
    assert.ok(refused[0]?.reason instanceof RebuildRefusedError, String(refused[0]?.reason));
  });

  it('hides no export whose row was on its way when the tables were exchanged', async () => {
    const id = await record();
    await harness.list({ limit: 100 }, account);
    await seen();
    // So is a row that was inserted into the former table only.
    await command(harness.fixture.operator, { sql: `DELETE FROM exports WHERE id = '${id}'` });
    const { exports } = await harness.list({ limit: 100 }, account);
    assert.ok(exports.some((shown) => shown.id === id));
  });
});
