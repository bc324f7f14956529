import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ConfiguredNatsCluster, configuredNatsCluster, eventually } from '@almanac/testing';
import { type AdminBus, connectBus, unlessMissing } from '../bus.js';
import { ensureHeartbeatStreams, spreadHeartbeatStreams } from './heartbeat-streams.js';
import { type KeyMarks, keyMarks } from './key-marks.js';
import { markedStream } from '../streams/marked-stream.js';
import { heartbeatStreamsOf } from '../names.js';

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
    await eventually(
      async () => assert.equal(await spreadHeartbeatStreams(busAt(0)), true, 'each stream is on a server of its own'),
      { timeoutMs: waitMs },
    );
  });
  after(async () => {
    await Promise.all(buses.map((bus) => bus.close()));
    await cluster.stop();
  });
  const busAt = (n: number): AdminBus => buses[n] ?? assert.fail();
  const streams = heartbeatStreamsOf(3);
  const serverOf = (n: number): Promise<string> =>
    eventually(
      async () =>
        (await busAt(0).jsm.streams.info(streams[n]?.name ?? assert.fail())).cluster?.leader ??
        assert.fail('no leader'),
      { timeoutMs: waitMs },
    );
  const confirmed = (marks: KeyMarks) => marks.confirm(5_000).mark;
  /** Like a keys service, which asks and begins all the time. */
  const begun = (marks: KeyMarks, seq: number, expected: number) =>
    eventually(
      async () => {
        await marks.confirm(2_000).majority;
        await marks.begin(seq, 2_000);
        assert.equal(await confirmed(marks), expected);
      },
      { timeoutMs: waitMs },
    );
  /** The server is there again, and its stream, which is empty. */
  const back = async (name: string): Promise<void> => {
    await cluster.start(name);
    await cluster.allHealthy();
    await eventually(async () => assert.equal(await spreadHeartbeatStreams(busAt(0)), true), { timeoutMs: waitMs });
  };

  it('are none at first, begin once, and are the highest of all processes', async () => {
    const [marks, others] = [keyMarks(busAt(0)), keyMarks(busAt(1))];
    const { majority, mark } = marks.confirm(waitMs);
    await majority;
    await assert.rejects(mark, /no mark yet/);
    await begun(marks, 3, 3);
    await begun(others, 4, 3);
    await Promise.all([5, 9, 7, 6, 8].flatMap((seq) => [marks.mark(seq, waitMs), others.mark(seq + 10, waitMs)]));
    assert.deepEqual([await confirmed(marks), await confirmed(others)], [19, 19]);
    // A majority had them. The third stream may be a moment later.
    const hasBoth = async (): Promise<void> => {
      await confirmed(marks);
      const { state } = await busAt(0).jsm.streams.info('HEARTBEAT');
      assert.equal(state.messages, 2, 'a heartbeat and a mark');
    };
    await eventually(hasBoth, { timeoutMs: waitMs });
  });

  it('are stored and confirmed without any one server, which has none when it is back', async () => {
    const [marks, others] = [keyMarks(busAt(0)), keyMarks(busAt(1))];
    for (const n of [0, 1, 2]) {
      const [seq, victim] = [30 + n, await serverOf(n)];
      await cluster.kill(victim);
      // The connection may be to the server that was killed.
      await eventually(() => marks.mark(seq, 2_000), { timeoutMs: waitMs });
      assert.equal(await eventually(() => confirmed(others)), seq);
      await back(victim);
      await begun(others, await confirmed(marks), seq);
    }
  });

  it('are counted only of servers that have them: a restarted one has lost its mark', async () => {
    const marks = keyMarks(busAt(0));
    await marks.mark(50, waitMs);
    // Otherwise the third stream could get the mark after its server is back.
    for (const stream of streams)
      await eventually(async () => assert.equal(await markedStream(busAt(0), stream).confirm(2_000), 50), {
        timeoutMs: waitMs,
      });
    const [restarted, lost] = [await serverOf(0), await serverOf(1)];
    await cluster.kill(restarted);
    await back(restarted);
    await cluster.kill(lost);
    await eventually(() => marks.confirm(2_000).majority, { timeoutMs: waitMs });
    await assert.rejects(confirmed(marks), 'one mark is no majority');
    await begun(marks, 60, 60);
    await back(lost);
  });

  it('are moved until each stream is on a server of its own', async () => {
    const victim = await serverOf(2);
    const servers = async () => new Set([await serverOf(0), await serverOf(1), await serverOf(2)]).size;
    await cluster.kill(victim);
    const crowd = async (): Promise<void> => {
      await unlessMissing(busAt(0).jsm.streams.delete(streams[2]?.name ?? assert.fail()));
      await ensureHeartbeatStreams(busAt(0));
      assert.equal(await servers(), 2);
    };
    await eventually(crowd, { timeoutMs: waitMs });
    await back(victim);
    assert.equal(await servers(), 3);
  });

  it('are not there without an acknowledgement of a majority', async () => {
    for (const name of cluster.names.slice(1)) await cluster.kill(name);
    await assert.rejects(keyMarks(busAt(0)).mark(100, 2_000));
    for (const name of cluster.names.slice(1)) await cluster.start(name);
  });
});
