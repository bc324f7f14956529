import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { rpcClient } from '@almanac/bus';
import { operatorHistory, type OperatorHistory } from '@almanac/contracts';
import { createLogger } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { startSystem, type TestSystem } from '../testing/gateway.js';
import type { TestKey } from '../testing/keys-stub.js';
import { startOperatorHistory } from './operator-history.js';

const path = '/operator/history';

describe('the history for the operator', () => {
  let system: TestSystem;
  let operator: TestKey;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-history-'));
    system = await startSystem();
    operator = system.edge.keys.createKey('internal');
  });
  after(async () => {
    for (const history of histories) history.stop();
    await system.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const histories: { stop(): void }[] = [];
  const started = async (options: { readonly everyMs?: number; readonly firstMs?: number }) => {
    const { bus } = system.edge;
    const sources = { bus, rpc: rpcClient(bus), log: createLogger('test', 'silent') };
    const history = await startOperatorHistory(sources, { folder, ...options });
    histories.push(history);
    return history;
  };

  it('has a sample of all processes, with the requests since the one before', async () => {
    const history = await started({ everyMs: 300, firstMs: 0 });
    const samples = await eventually(async () => {
      // No stub answers it.
      assert.ok((await system.request('/categories', operator)).status >= 500);
      const seen = history.read().samples;
      assert.ok(seen.some(({ requests, errors }) => requests > 0 && errors > 0));
      return seen;
    });
    history.stop();
    assert.ok(samples.some(({ p95_ms }) => (p95_ms ?? 0) > 0));
    assert.ok((samples[0]?.memory_bytes['gateway'] ?? 0) > 1e6);
    assert.ok((samples[0]?.disk_free_bytes ?? 0) > 0);
  });

  it('outlives a restart, a line that was cut off, and days that are too old', async () => {
    const first = await started({ everyMs: 300, firstMs: 0 });
    await eventually(() => assert.ok(first.read().samples.length > 0));
    first.stop();
    const [file = assert.fail('no file')] = await readdir(folder);
    await appendFile(join(folder, file), '{"ts":17');
    await writeFile(join(folder, '2020-01-01.jsonl'), '');
    const earlier = first.read().samples;
    // Its next sample is a minute away.
    const second = await started({});
    second.stop();
    const again = second.read();
    assert.ok(again.has_folder);
    assert.ok(again.samples.some(({ ts }) => ts === earlier.at(-1)?.ts));
    assert.ok(!(await readdir(folder)).includes('2020-01-01.jsonl'));
  });

  it('is read by the operator alone, and never with as_of', async () => {
    const read = async (key: TestKey): Promise<number> => (await system.request(path, key)).status;
    const response = await system.request(path, operator);
    const history: OperatorHistory = operatorHistory.strict().parse(await response.json());
    assert.deepEqual([history.every_s, history.has_folder], [60, false]);
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.equal(await read(system.edge.keys.createKey('full_book')), 404);
    const fenced = system.edge.keys.createKey('internal');
    system.edge.keys.fence(fenced, 1_771_993_500);
    assert.equal(await read(fenced), 403);
  });
});
