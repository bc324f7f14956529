import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Reply, subjects } from '@almanac/bus';
import { catalogRpc, exportRpc, type ExportState, keysRpc, timeseriesRpc } from '@almanac/contracts';
import { asOfPartOf } from './fence.js';
import { routes } from '../routes/routes.js';
import type { TestKey } from '../testing/keys-stub.js';
import { nameOf } from '../testing/service-stubs.js';
import { startSystem, steadyIn, type TestSystem } from '../testing/gateway.js';

const fence = 1_771_993_500;

/** Endpoints whose answers have nothing of the archive. A new one needs a reason to be here. */
const withoutArchive = new Set(['get /plan', 'get /keys', 'get /exports/formats']);

/** Endpoints of one export, which exists for the key if it is as of its time or earlier. */
const ofOneExport = '/exports/:export_id';

describe('a key with as_of', () => {
  let system: TestSystem;
  const steady = steadyIn(() => system);
  let key: TestKey;
  const inputs: unknown[] = [];

  before(async () => {
    system = await startSystem({ CACHE_MB: '64', CACHE_FROM_REQUEST: '1' });
    // Otherwise the page of the operator would not exist for it.
    key = system.edge.keys.createKey('internal');
    system.edge.keys.fence(key, fence);
    for (const contract of [timeseriesRpc.snapshots, timeseriesRpc.marketsAt, catalogRpc.marketDetail]) {
      system.edge.handlers.set(nameOf(contract), (input) => {
        inputs.push(contract.input.parse(input));
        const { as_of: asOf } = contract.input.parse(input);
        return Reply.json({ as_of: asOf ?? null }, { ticker: 'T-1', version: 1, ...(asOf !== undefined && { asOf }) });
      });
    }
  });
  after(() => system.stop());

  const asOfSeen = async (path: string, of = key): Promise<unknown> => {
    const response = await system.request(path, of);
    assert.equal(response.status, 200);
    return ((await response.json()) as { as_of: unknown }).as_of;
  };
  const refusal = async (path: string, init: Parameters<TestSystem['request']>[2] = {}) => {
    const response = await system.request(path, key, init);
    return [response.status, ((await response.json()) as { code: string }).code];
  };
  const json = (body: object) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

  steady('reads as of its time, or earlier', async () => {
    assert.equal(await asOfSeen('/markets/T-1/snapshots'), fence);
    assert.equal(await asOfSeen(`/markets/T-1/snapshots?as_of=${fence}`), fence);
    assert.equal(await asOfSeen(`/markets/T-1/snapshots?as_of=${fence - 1}`), fence - 1);
    assert.equal(await asOfSeen('/markets/T-1'), fence);
    const body = { tickers: ['T-1'], at_ts: [1] };
    await system.request('/markets/at', key, json(body));
    assert.deepEqual(inputs.at(-1), timeseriesRpc.marketsAt.input.parse({ ...body, as_of: fence }));
  });

  steady('reads as of a time to the microsecond, whatever digits a parameter or a body has', async () => {
    const free = system.edge.keys.createKey('pro');
    for (const by of [key, free])
      assert.equal(await asOfSeen('/markets/T-1/snapshots?as_of=1752245435.1840072', by), 1_752_245_435.184_007);
    const body = { tickers: ['T-1'], at_ts: [1], as_of: 1e-300 };
    assert.equal((await system.request('/markets/at', free, json(body))).status, 200);
    assert.deepEqual(inputs.at(-1), timeseriesRpc.marketsAt.input.parse({ ...body, as_of: 0 }));
  });

  it('may not read later, by parameter or body', async () => {
    assert.deepEqual(await refusal(`/markets/T-1/snapshots?as_of=${fence + 1}`), [403, 'as_of_fenced']);
    assert.deepEqual(await refusal(`/markets/T-1?as_of=${fence + 1}`), [403, 'as_of_fenced']);
    const later = json({ tickers: ['T-1'], at_ts: [1], as_of: fence + 1 });
    assert.deepEqual(await refusal('/markets/at', later), [403, 'as_of_fenced']);
  });

  steady('gets no answer from the cache that a key without as_of, or with another, has put there', async () => {
    const path = '/markets/T-1/snapshots?limit=7';
    const free: TestKey = { ...system.edge.keys.inventKey(), account: key.account };
    system.edge.keys.admit(free, 'pro');
    const earlier = system.edge.keys.createKey('pro');
    system.edge.keys.fence(earlier, fence - 9);
    for (let time = 0; time < 4; time += 1) {
      assert.equal(await asOfSeen(path, free), null);
      assert.equal(await asOfSeen(path), fence);
      assert.equal(await asOfSeen(path, earlier), fence - 9);
    }
  });

  it('is refused at every endpoint that cannot answer as of a time', async () => {
    let refused = 0;
    for (const { method, path, operation } of routes) {
      if (asOfPartOf(operation.given) !== undefined || withoutArchive.has(`${method} ${path}`)) continue;
      const [status, code] = await refusal(path.replaceAll(/:\w+/g, 'X'), { method: method.toUpperCase() });
      if (path.startsWith(ofOneExport)) {
        assert.deepEqual([status, code], [404, 'export_not_found'], `${method} ${path}`);
        continue;
      }
      // What is wrong with a request is said first. Then nothing was read.
      if (status === 422) continue;
      assert.deepEqual([status, code], [403, 'as_of_fenced'], `${method} ${path}`);
      refused += 1;
    }
    assert.ok(refused > 3, `${refused} endpoints`);
  });

  steady('exports as of its time, and finds only exports as of its time or earlier', async () => {
    const made: unknown[] = [];
    system.edge.handlers.set(nameOf(exportRpc.create), (input) => {
      const { as_of: asOf } = exportRpc.create.input.parse(input);
      made.push(asOf);
      return Reply.json({ as_of: asOf }, asOf === undefined ? {} : { asOf });
    });
    assert.equal((await system.request('/exports', key, json({ event: 'E' }))).status, 200);
    assert.deepEqual(await refusal('/exports', json({ event: 'E', as_of: fence + 1 })), [403, 'as_of_fenced']);
    assert.deepEqual(made, [fence]);
    const query = { event: 'E', ticker: null, series: 'S', day: null, numbers: 'decimal' } as const;
    const record = async (asOf: { as_of?: number }): Promise<string> => {
      const id = randomUUID();
      const state: ExportState = {
        id,
        account: key.account,
        status: 'pending',
        query: { ...query, streams: ['snapshots'], format: 'csv', ...asOf },
        grant: 'plan',
        file_key: 'k',
        filename: 'E.csv',
        requested_us: 1_772_064_000_250_000,
      };
      await system.edge.append(subjects.export(key.account, id), state, key.account);
      return id;
    };
    const [then, earlier] = [await record({ as_of: fence }), await record({ as_of: fence - 1 })];
    for (const id of [then, earlier]) assert.equal((await system.request(`/exports/${id}`, key)).status, 200);
    for (const id of [await record({}), await record({ as_of: fence + 1 })])
      for (const path of [`/exports/${id}`, `/exports/${id}/file`, `/exports/${id}/events`])
        assert.deepEqual(await refusal(path), [404, 'export_not_found'], path);
  });

  steady('lists exports, and finds datasets, as of its time or earlier', async () => {
    const requested: unknown[] = [];
    for (const contract of [exportRpc.list, exportRpc.dataset]) {
      system.edge.handlers.set(nameOf(contract), (input) => {
        const { as_of: asOf } = contract.input.parse(input);
        requested.push(asOf);
        return Reply.json({ as_of: asOf }, asOf === undefined ? {} : { asOf });
      });
    }
    for (const path of ['/exports', '/datasets/ds-1']) {
      assert.equal(await asOfSeen(path), fence);
      assert.equal(await asOfSeen(`${path}?as_of=${fence - 1}`), fence - 1);
      assert.deepEqual(await refusal(`${path}?as_of=${fence + 1}`), [403, 'as_of_fenced']);
    }
    assert.deepEqual(requested, [fence, fence - 1, fence, fence - 1]);
  });

  steady('gets no answer of a service that does not know as_of', async () => {
    const known = system.edge.handlers.get(nameOf(catalogRpc.marketDetail));
    system.edge.handlers.set(nameOf(catalogRpc.marketDetail), () => Reply.json({ result: 'yes' }, { ticker: 'T-1' }));
    const response = await system.request('/markets/T-1', key);
    assert.equal(response.status, 503);
    assert.ok(!(await response.text()).includes('result'));
    if (known !== undefined) system.edge.handlers.set(nameOf(catalogRpc.marketDetail), known);
  });

  it('is not shown if it was made by a service that does not know as_of', async () => {
    const secret = 'the secret of a key that reads the present';
    system.edge.handlers.set(nameOf(keysRpc.create), () => Reply.json({ id: 'k', secret }, {}));
    const response = await system.request('/keys', key, json({ name: 'fenced', as_of: fence }));
    assert.equal(response.status, 503);
    assert.ok(!(await response.text()).includes(secret));
  });
});
