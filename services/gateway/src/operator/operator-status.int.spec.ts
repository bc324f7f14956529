import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  deadLetterHeaders,
  durables,
  ensureDeadLetters,
  ownStreamsStatus,
  statusServices,
  subjects,
} from '@almanac/bus';
import { operatorStatus, type OperatorStatus, serviceNames, streamsRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { startSystem, type TestSystem } from '../testing/gateway.js';
import type { TestKey } from '../testing/keys-stub.js';
import { nameOf } from '../testing/service-stubs.js';
import { sessionClient } from '../testing/session-client.js';

const path = '/operator/status';

describe('the status for the operator', () => {
  let system: TestSystem;
  let operator: TestKey;
  before(async () => {
    system = await startSystem();
    operator = system.edge.keys.createKey('internal');
    await ensureDeadLetters(system.edge.bus);
    const { handlers, bus } = system.edge;
    const none = { streams: [], consumers: [], dead_letters: [], unreadable: { count: 0, examples: [] } };
    for (const service of serviceNames) handlers.set(nameOf(streamsRpc[service]), () => none);
    // The stub has the login of timeseries.
    handlers.set(nameOf(streamsRpc.timeseries), () => ownStreamsStatus(bus));
    handlers.set(nameOf(streamsRpc.webhooks), () => assert.fail('it cannot read its streams'));
  });
  after(() => system.stop());
  const { login, statusOf } = sessionClient(() => system);

  const read = async (): Promise<OperatorStatus> => {
    const response = await system.request(path, operator);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    return operatorStatus.strict().parse(await response.json());
  };

  it('shows the processes that answer, services that are silent, and streams that are unknown', async () => {
    const { services, processes, faults, streams } = await read();
    assert.deepEqual(
      services.map(({ service, processes: n, streams_known: known }) => [service, n, known]),
      statusServices.map((service) => [service, service === 'gateway' ? 1 : 0, service !== 'webhooks']),
    );
    const [gateway, ...others] = processes;
    assert.deepEqual([gateway?.service, gateway?.ready, others], ['gateway', true, []]);
    assert.ok((gateway?.memory_bytes ?? 0) > 1e6);
    const text = faults.map(({ fault }) => fault).join('\n');
    assert.match(text, /^No process of export answers\.$/m);
    assert.doesNotMatch(text, /No process of gateway/);
    // The silence of the service says it already.
    assert.doesNotMatch(text, /webhooks does not report/);
    assert.ok(streams.some(({ stream, exists }) => stream === 'DEAD' && exists));
  });

  it('shows a dead letter with its reason and its remedy', async () => {
    const letter = deadLetterHeaders({ subject: subjects.archive('T-1'), seq: 7 }, new Error('the store says no'));
    await system.edge.bus.js.publish(subjects.dead(durables.timeseriesTrades), '', { headers: letter });
    // A round of requests is shared for a second.
    const status = await eventually(async () => {
      const seen = await read();
      assert.equal(seen.dead_letters.length, 1);
      return seen;
    });
    const [first] = status.dead_letters;
    assert.deepEqual([first?.consumer, first?.count], [durables.timeseriesTrades, 1]);
    const { stored_ts: _storedTs, ...newest } = first?.newest ?? assert.fail('no newest dead letter');
    assert.deepEqual(newest, {
      number: 1,
      subject: subjects.archive('T-1'),
      sequence: 7,
      reason: 'the store says no',
    });
    const fault = status.faults.find((one) => one.fault.startsWith('1 dead letter:'));
    assert.match(fault?.remedy ?? '', /almanac -- dead-letters/);
  });

  it('asks each service once for requests at the same time', async () => {
    const callsBefore = system.edge.callsOf(streamsRpc.export);
    await Promise.all(Array.from({ length: 20 }, () => read()));
    assert.ok(system.edge.callsOf(streamsRpc.export) - callsBefore <= 1);
  });

  it('exists for no other account: its answer is that of an unknown path', async () => {
    const bodyOf = async (response: Response): Promise<unknown> => {
      const { request_id: _id, ...body } = (await response.json()) as Record<string, unknown>;
      return [response.status, body];
    };
    for (const plan of ['free', 'pro', 'full_book'] as const) {
      const key = system.edge.keys.createKey(plan);
      const unknown = await bodyOf(await system.request('/nothing/like/this', key));
      const strict = { headers: { prefer: 'handling=strict' } };
      assert.deepEqual(await bodyOf(await system.request(path, key)), unknown, plan);
      assert.deepEqual(await bodyOf(await system.request(`${path}?x=1`, key, strict)), unknown, plan);
      system.edge.keys.fence(key, 1_771_993_500);
      const { cookie } = await login(key);
      assert.equal((await statusOf(path, { headers: { cookie } })).status, 404, plan);
    }
    assert.equal((await system.request(path)).status, 401);
    const near = await bodyOf(await system.request('/operator/statuses', operator));
    assert.doesNotMatch(JSON.stringify(near), /Did you mean/);
  });

  it('opens with a session of the operator, and never for a key with as_of', async () => {
    const { cookie } = await login(operator);
    assert.equal((await statusOf(path, { headers: { cookie } })).status, 200);
    const fenced = system.edge.keys.createKey('internal');
    system.edge.keys.fence(fenced, 1_771_993_500);
    assert.equal((await system.request(path, fenced)).status, 403);
  });

  it('ends for an account that leaves the plan', async () => {
    const key = system.edge.keys.createKey('internal');
    assert.equal((await system.request(path, key)).status, 200);
    await system.edge.keys.changePlan(key, 'pro');
    await eventually(async () => assert.equal((await system.request(path, key)).status, 404));
  });
});
