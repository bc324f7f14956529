import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ConfiguredNatsCluster, configuredNatsCluster, eventually } from '@almanac/testing';
import { type AdminBus, connectBus } from './bus.js';
import { type KeyMarks, keyMarks, separateLeaders } from './heartbeat-stream.js';
import { heartbeatStreams } from './names.js';
import { ensureHeartbeatStreams } from './streams.js';

const waitMs = 60_000;

describe('marks of answered revocations, with the rights of the keys service', { timeout: 300_000 }, () => {
  let cluster: ConfiguredNatsCluster;
  let buses: AdminBus[] = [];
  before(async () => {
    cluster = await configuredNatsCluster();
    await cluster.allHealthy();
    const options = { url: cluster.url, user: 'keys', password: cluster.passwordOf('keys'), replicas: 3 };
    buses = await Promise.all([connectBus(options), connectBus(options)]);
    await eventually(() => ensureHeartbeatStreams(busAt(0)), { timeoutMs: waitMs });
    // Other servers than the leader learn a moment later that somebody answers for the new streams.
    for (const bus of buses) await eventually(() => Promise.all(keyMarks(bus).confirm(2_000)), { timeoutMs: waitMs });
  });
  after(async () => {
    await Promise.all(buses.map((bus) => bus.close()));
    await cluster.stop();
  });
  const busAt = (n: number): AdminBus => buses[n] ?? assert.fail();
  const confirmed = (marks: KeyMarks) => Promise.all(marks.confirm(waitMs));
  const leaders = () =>
    Promise.all(heartbeatStreams.map(async ({ name }) => (await busAt(0).jsm.streams.info(name)).cluster?.leader));

  it('are none at first, begin once, and are the highest of all processes', async () => {
    const [marks, others] = [keyMarks(busAt(0)), keyMarks(busAt(1))];
    assert.deepEqual(await confirmed(marks), [undefined, undefined]);
    await marks.begin(3, waitMs);
    assert.deepEqual(await confirmed(others), [3, 3]);
    await others.begin(4, waitMs);
    assert.deepEqual(await confirmed(marks), [3, 3]);
    await Promise.all([5, 9, 7, 6, 8].flatMap((seq) => [marks.mark(seq, waitMs), others.mark(seq + 10, waitMs)]));
    assert.deepEqual([...(await confirmed(marks)), ...(await confirmed(others))], [19, 19, 19, 19]);
    const { state } = await busAt(0).jsm.streams.info('HEARTBEAT');
    assert.equal(state.messages, 2, 'a heartbeat and a mark');
  });

  it('are in two streams with different leaders, so that one of them answers after a kill', async () => {
    await eventually(
      async () => {
        await separateLeaders(busAt(0));
        const [first, second] = await leaders();
        assert.ok(first && second && first !== second);
      },
      { timeoutMs: waitMs },
    );
    const marks = keyMarks(busAt(0));
    await marks.mark(30, waitMs);
    const [victim = assert.fail()] = await leaders();
    await cluster.kill(victim);
    // The connection may be to the server that was killed.
    assert.equal(await eventually(() => Promise.any(marks.confirm(2_000))), 30);
    await cluster.start(victim);
    await cluster.allHealthy();
    await eventually(async () => assert.deepEqual(await Promise.all(marks.confirm(2_000)), [30, 30]), {
      timeoutMs: waitMs,
    });
  });

  it('are not there without an acknowledgement of a majority', async () => {
    for (const name of cluster.names.slice(1)) await cluster.kill(name);
    await assert.rejects(keyMarks(busAt(0)).mark(100, 2_000));
    for (const name of cluster.names.slice(1)) await cluster.start(name);
  });
});
