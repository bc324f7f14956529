import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allMetrics, createHealth, readSamples } from '@almanac/runtime';
import { killableNats, testNats, type TestNats } from '@almanac/testing';
import { type AdminBus, connectBus, isWrongSequence } from '../bus.js';
import { personalStream, subjects } from '../names.js';
import { isStorageFull, publishStored } from './storage-capacity.js';
import { archiveHistoryMax, storageLimitOf } from './stream-limits.js';
import { ensurePersonal, ensureStream } from './streams.js';

const megabyte = 1_000_000;

describe('limits of streams', () => {
  let nats: TestNats;
  const open: AdminBus[] = [];
  const connect = async (storageBytes?: number): Promise<AdminBus> => {
    const bus = await connectBus({ url: nats.url, user: 'admin', ...(storageBytes && { storageBytes }) });
    open.push(bus);
    return bus;
  };
  before(async () => {
    nats = await testNats();
  });
  after(async () => {
    for (const bus of open) await bus.close();
    await nats.stop();
  });

  const store = (bus: AdminBus, subject: string, bytes = 1_000) =>
    publishStored(bus, subject, { data: Buffer.alloc(bytes), options: {} });
  const infoOf = async (bus: AdminBus, stream: string) => {
    const { config, state } = await bus.jsm.streams.info(stream);
    return { limit: config.max_bytes, messages: state.messages, last: state.last_seq, bytes: state.bytes };
  };

  it('the shares of all streams together are the storage', () => {
    const names = ['CATALOG', 'ARCHIVE', 'KEYS', 'COMMERCE', 'STRIPE', 'EXPORT', 'FILE', 'WEBHOOK'].map(
      (name) => `EVT_${name}`,
    );
    const all = [...names, 'KV_PERSONAL', 'DEAD', 'WEBHOOKS'].map(
      (name) => storageLimitOf(name, { storageBytes: 1e9, partitions: 1 }) ?? 0,
    );
    assert.equal(
      all.reduce((sum, limit) => sum + limit, 0),
      1e9,
    );
    assert.equal(storageLimitOf('EVT_KEYS', { partitions: 1 }), undefined);
    const divided = { storageBytes: 1e9, partitions: 4 };
    assert.equal(storageLimitOf('EVT_CATALOG_03', divided), 70_000_000);
    assert.equal(storageLimitOf('EVT_KEYS', divided), 50_000_000);
  });

  it('the archive holds the last versions of each market, every other stream all events', async () => {
    const bus = await connect();
    await ensureStream(bus, 'EVT_ARCHIVE');
    await ensureStream(bus, 'EVT_KEYS');
    for (let n = 0; n < 20; n += 1) {
      await store(bus, `evt.archive.market.M-${n % 2}`);
      await store(bus, 'evt.keys.a');
    }
    assert.equal((await infoOf(bus, 'EVT_ARCHIVE')).messages, 2 * archiveHistoryMax);
    assert.equal((await infoOf(bus, 'EVT_KEYS')).messages, 20);
  });

  it('an existing stream gets its limit on the next start, and a higher one after that', async () => {
    await ensureStream(await connect(), 'EVT_FILE');
    assert.equal((await infoOf(await connect(), 'EVT_FILE')).limit, -1);
    for (const storageBytes of [10 * megabyte, 20 * megabyte]) {
      const bus = await connect(storageBytes);
      await ensureStream(bus, 'EVT_FILE');
      assert.equal((await infoOf(bus, 'EVT_FILE')).limit, storageBytes / 20);
    }
    // A process without the variable changes nothing.
    await ensureStream(await connect(), 'EVT_FILE');
    assert.equal((await infoOf(await connect(), 'EVT_FILE')).limit, megabyte);
  });

  it('a stream that is larger than its limit loses nothing and stays as it is', async () => {
    const bus = await connect();
    await ensureStream(bus, 'EVT_COMMERCE');
    for (let n = 0; n < 300; n += 1) await store(bus, `evt.commerce.${n}`);
    const small = await connect(megabyte);
    await ensureStream(small, 'EVT_COMMERCE');
    const { limit, messages } = await infoOf(small, 'EVT_COMMERCE');
    assert.deepEqual({ limit, messages }, { limit: -1, messages: 300 });
  });

  it('a full stream refuses new messages, loses none, and the others still store', async () => {
    const bus = await connect(10 * megabyte);
    await ensureStream(bus, 'EVT_STRIPE');
    let stored = 0;
    await assert.rejects(
      async () => {
        for (; ; stored += 1) await store(bus, `evt.commerce-stripe.${stored}`, 10_000);
      },
      (error) => isStorageFull(error),
    );
    const full = await infoOf(bus, 'EVT_STRIPE');
    assert.deepEqual([full.messages, full.last], [stored, stored]);
    await store(bus, 'evt.keys.b');
    const samples = await readSamples(allMetrics(createHealth()));
    const valueOf = (name: string) =>
      samples.find((sample) => sample.name === name && sample.labels['stream'] === 'EVT_STRIPE')?.value;
    assert.equal(valueOf('almanac_stream_bytes'), full.bytes);
    assert.equal(valueOf('almanac_stream_limit_bytes'), megabyte / 2);
    // The way out.
    const larger = await connect(20 * megabyte);
    await ensureStream(larger, 'EVT_STRIPE');
    await store(larger, 'evt.commerce-stripe.more', 10_000);
    assert.equal((await infoOf(larger, 'EVT_STRIPE')).messages, stored + 1);
  });

  it('the bucket of personal records keeps the last value of a key until the key is erased', async () => {
    const bus = await connect();
    await Promise.all([ensurePersonal(bus), ensurePersonal(bus)]);
    await ensurePersonal(bus);
    const subject = subjects.person('a');
    const last = () => bus.jsm.streams.getMessage(personalStream, { last_by_subj: subject });
    const expect = { streamName: personalStream, lastSubjectSequence: 0 };
    await bus.js.publish(subject, 'first', { expect });
    await assert.rejects(bus.js.publish(subject, 'second', { expect }), isWrongSequence);
    const { seq } = await bus.js.publish(subject, 'third');
    assert.equal((await last())?.string(), 'third');
    assert.equal((await infoOf(bus, personalStream)).messages, 1);
    await bus.jsm.streams.deleteMessage(personalStream, seq);
    assert.equal(await last(), null);
    await bus.js.publish(subject, 'fourth', { expect });
  });

  it('a server with less storage than the limits still gets its streams', async () => {
    const small = await killableNats({ storeBytesMax: 2 * megabyte });
    const bus = await connectBus({ url: small.url, user: 'admin', storageBytes: 100 * megabyte });
    await ensureStream(bus, 'EVT_EXPORT');
    assert.equal((await infoOf(bus, 'EVT_EXPORT')).limit, -1);
    await bus.close();
    await small.stop();
  });
});
