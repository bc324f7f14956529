import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  type AdminBus,
  connectBus,
  durables,
  ensureDeadLetters,
  ensurePersonal,
  ensureStream,
  ensureWebhookStream,
  expectedTopology,
  natsAccounts,
  personalStream,
  subjects,
} from '@almanac/bus';
import { streams, type StreamName } from '@almanac/contracts';
import { startNats } from '@almanac/local-servers';
import { AckPolicy } from '@nats-io/jetstream';

const password = 'test';

describe('an archive of a nats-server without accounts', () => {
  let dir = '';
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-move-'));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  const withBus = async (
    user: string,
    accounts: Parameters<typeof startNats>[0]['accounts'],
    use: (bus: AdminBus) => Promise<void>,
  ): Promise<void> => {
    const server = await startNats({ dir, ...(accounts === undefined ? {} : { accounts }) });
    try {
      const bus = await connectBus({ url: server.url, user, password });
      await use(bus);
      await bus.close();
    } finally {
      await server.stop();
    }
  };
  const append = async (bus: AdminBus, count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) await bus.js.publish(subjects.export('a', '1'), '{}');
  };
  const handle = async (bus: AdminBus, count: number): Promise<number[]> => {
    const consumer = await bus.js.consumers.get('EVT_EXPORT', durables.exportFiles);
    const seqs: number[] = [];
    for await (const message of await consumer.fetch({ max_messages: count, expires: 5_000 })) {
      await message.ackAck();
      seqs.push(message.seq);
    }
    return seqs;
  };

  it('opens with all its streams, messages and positions of consumers, at each start', async () => {
    await withBus('admin', undefined, async (bus) => {
      for (const stream of Object.keys(streams) as StreamName[]) await ensureStream(bus, stream);
      await ensureDeadLetters(bus);
      await ensurePersonal(bus);
      await ensureWebhookStream(bus);
      await bus.js.publish(subjects.person('a'), 'a');
      const durable = { durable_name: durables.exportFiles, ack_policy: AckPolicy.Explicit };
      await bus.jsm.consumers.add('EVT_EXPORT', durable);
      await append(bus, 20);
      assert.equal((await handle(bus, 20)).length, 20);
      await append(bus, 5);
    });
    const accounts = natsAccounts(() => password, { admin: password });
    for (let start = 0; start < 2; start += 1) {
      await withBus('admin', accounts, async (bus) => {
        for (const stream of expectedTopology.streams) {
          const { state } = await bus.jsm.streams.info(stream);
          assert.equal(state.messages, stream === 'EVT_EXPORT' ? 25 : stream === personalStream ? 1 : 0, stream);
        }
      });
    }
    await withBus('export', accounts, async (bus) => {
      assert.deepEqual(await handle(bus, 5), [21, 22, 23, 24, 25]);
    });
  });
});
