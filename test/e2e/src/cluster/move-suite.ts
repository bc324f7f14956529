import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type AdminBus,
  connectBus,
  durables,
  ensureStream,
  natsAccounts,
  patterns,
  serverStreams,
  subjects,
} from '@almanac/bus';
import type { UserName } from '@almanac/contracts';
import { type Acknowledged, clusterWriters, eachStoredOnce } from '@almanac/event-store/testing';
import {
  type ConfiguredNatsCluster,
  configuredNatsCluster,
  eventually,
  seededRandom,
  testNumber,
} from '@almanac/testing';

const partitions = 4;
const stream = 'EVT_CATALOG';
const waitMs = 60_000;
const written = Array.from({ length: 12 }, (_, n) => subjects.market(`MOVED-${n}`));
const appendedBefore = 400;
const acknowledgedByReader = 150;
/** A move of these few events takes about this long. */
const moveMs = 4_000;
const program = fileURLToPath(new URL('../../../../operator/dist/almanac.js', import.meta.url));

/** Moves a stream to four partitions under appends, while the command and leaders of the cluster are killed. */
export const moveLosesNothing = (options: { kills: number; seed: number }): void => {
  const { kills } = options;
  const seed = testNumber('seed', options.seed);
  describe(`a move to ${partitions} partitions under appends`, { timeout: (kills + 10) * 60_000 }, () => {
    let cluster: ConfiguredNatsCluster;
    const open: AdminBus[] = [];
    const connect = async (user: UserName, count: number): Promise<AdminBus> => {
      const login = { url: cluster.url, user, password: cluster.passwordOf(user), replicas: 3 };
      const bus = await connectBus({ ...login, partitions: count });
      open.push(bus);
      return bus;
    };
    before(async () => {
      cluster = await configuredNatsCluster((passwordOf) => natsAccounts(passwordOf, {}, partitions));
    });
    after(async () => {
      await Promise.all(open.map((bus) => bus.close()));
      await cluster.stop();
    });

    it(`loses, doubles and reorders no event of an entity over ${kills} kill -9 (--seed ${seed})`, async (test) => {
      const random = seededRandom(seed);
      const [one, other, timeseries] = [
        await connect('catalog', 1),
        await connect('catalog', 1),
        await connect('timeseries', 1),
      ];
      await eventually(() => ensureStream(one, stream), { timeoutMs: waitMs });
      await eventually(() => ensureStream(timeseries, 'EVT_ARCHIVE'), { timeoutMs: waitMs });
      const before_ = clusterWriters([one, other], written);
      await eventually(() => assert.ok(before_.acknowledged.length >= appendedBefore), { timeoutMs: waitMs });
      await acknowledgeSome(one);
      let killed = 0;
      for (let n = 0; n < kills; n += 1) {
        if (await runMove(cluster, random() * moveMs)) break;
        killed += 1;
        if (n % 3 === 1) await killLeader(cluster, one);
      }
      // A server that comes back may refuse a request. The command is then run again, as after a kill.
      await eventually(() => runMove(cluster, undefined), { timeoutMs: 2 * waitMs });
      await before_.stop();
      const buses = [await connect('catalog', partitions), await connect('catalog', partitions)];
      const [four = assert.fail()] = buses;
      // A cluster that was just changed can answer late.
      await eventually(() => ensureStream(four, stream), { timeoutMs: waitMs });
      await eventually(() => assert.rejects(ensureStream(one, stream), /moved to 4 partitions/), { timeoutMs: waitMs });
      const after_ = clusterWriters(buses, written);
      await eventually(() => assert.ok(after_.acknowledged.length >= written.length * 4), { timeoutMs: waitMs });
      await after_.stop();
      const lastBefore = Math.max(...before_.acknowledged.map(({ answered }) => answered));
      const firstAfter = Math.min(...after_.acknowledged.map(({ answered }) => answered));
      test.diagnostic(
        `the command was killed ${killed} times; ${before_.acknowledged.length} events before, ${after_.acknowledged.length} after`,
      );
      test.diagnostic(
        `no append for ${Math.round(firstAfter - lastBefore)} ms, kills and the start of writers included`,
      );
      const source = await idsBySubject(one, before_.acknowledged);
      const stored = await eachStoredOnce(after_.acknowledged, four, stream);
      for (const [subject, ids] of source) {
        const moved = stored.filter((event) => event.subject === subject).toSorted((a, b) => a.seq - b.seq);
        assert.deepEqual(
          moved.slice(0, ids.length).map(({ id }) => id),
          ids,
          subject,
        );
      }
      const lastSource = (await one.jsm.streams.info(stream)).state.last_seq;
      assert.ok(
        stored.every(({ seq }) => seq > lastSource),
        'new sequences are above the old ones',
      );
      await assertReaderContinues(four, { stored: stored.length, moved: lastSource });
    });
  });
};

/** A reader that acknowledged the first events, and has to see each of the others. */
const acknowledgeSome = async (bus: AdminBus): Promise<void> => {
  const config = { durable_name: durables.catalogReadModel, filter_subject: patterns.allOf(stream) };
  await bus.jsm.consumers.add(stream, { ...config, ack_policy: 'explicit' });
  const consumer = await bus.js.consumers.get(stream, durables.catalogReadModel);
  for await (const message of await consumer.fetch({ max_messages: acknowledgedByReader, expires: 10_000 }))
    assert.ok(await message.ackAck());
};

const assertReaderContinues = async (
  bus: AdminBus,
  { stored, moved }: { stored: number; moved: number },
): Promise<void> => {
  assert.ok(moved > acknowledgedByReader);
  const infos = await Promise.all(
    serverStreams(bus, [stream]).map((name) => bus.jsm.consumers.info(name, durables.catalogReadModel)),
  );
  const pending = infos.reduce((sum, { num_pending }) => sum + num_pending, 0);
  assert.equal(pending, stored - acknowledgedByReader);
};

/** Runs the command, and kills it after this time. Returns whether it ended by itself, without an error. */
const runMove = async (cluster: ConfiguredNatsCluster, killedAfterMs: number | undefined): Promise<boolean> => {
  const env = {
    ...process.env,
    NATS_URL: cluster.url,
    NATS_REPLICAS: '3',
    NATS_PASSWORD_CATALOG: cluster.passwordOf('catalog'),
    NATS_PASSWORD_TIMESERIES: cluster.passwordOf('timeseries'),
  };
  const args = [program, 'partitions', 'move', '--to', String(partitions)];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (piece: Buffer) => (output += piece.toString()));
  const exited = once(child, 'exit');
  if (killedAfterMs !== undefined) {
    await Promise.race([exited, delay(killedAfterMs)]);
    child.kill('SIGKILL');
  }
  const [code] = (await exited) as [number | null];
  assert.ok(code === 0 || killedAfterMs !== undefined, output);
  return code === 0;
};

const killLeader = async (cluster: ConfiguredNatsCluster, bus: AdminBus): Promise<void> => {
  const leader = await eventually(
    async () => (await bus.jsm.streams.info(stream)).cluster?.leader ?? assert.fail('no leader'),
    { timeoutMs: waitMs },
  );
  await cluster.kill(leader);
  await cluster.start(leader);
  await cluster.allHealthy();
};

/** The ids of each subject in the moved stream, in order. Each acknowledged append is there once. */
const idsBySubject = async (
  bus: AdminBus,
  acknowledged: readonly Acknowledged[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const all = await eachStoredOnce(acknowledged, bus, stream);
  return new Map(
    written.map((subject) => [
      subject,
      all
        .filter((event) => event.subject === subject)
        .toSorted((a, b) => a.seq - b.seq)
        .map(({ id }) => id),
    ]),
  );
};
