import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import type { AdminBus, Running } from '../bus.js';
import { consume } from '../consume/consume.js';
import { durables, personalStream, subjects } from '../names.js';
import { backedUpConsumers } from '../rights/rights.js';
import { type Position, positionsOf, restorePosition } from './consumer-positions.js';
import { backUpStream, serveBackups } from '../process/requested-backup.js';
import { restoreStream, StreamBackupError } from './stream-backup.js';
import {
  appendCounts,
  counterEvent,
  counterState,
  startTestBus,
  type TestBus,
  failOnCall,
} from '../testing/test-bus.js';
import { ensurePersonal, ensureStream } from './streams.js';

const stream = 'EVT_EXPORT';
const copiers = ['catalog', 'export', 'commerce', 'keys'] as const;

interface Copy {
  readonly config: Record<string, unknown>;
  readonly extent: { messages: number; bytes: number; first_seq: number; last_seq: number };
  readonly chunks: Buffer[];
}

const copyOf = async (bus: AdminBus, name: string): Promise<Copy> => {
  const { config, extent, chunks } = await backUpStream(bus, name);
  const stored: Buffer[] = [];
  for await (const chunk of chunks) stored.push(Buffer.from(chunk));
  return { config, extent, chunks: stored };
};

const restore = (bus: AdminBus, name: string, copy: Copy) =>
  restoreStream(bus, { config: { ...copy.config, name }, extent: copy.extent, chunks: stepping(copy.chunks) });

async function* stepping(chunks: readonly Buffer[]): AsyncGenerator<Uint8Array, void, void> {
  yield* chunks;
}

const handled = async (bus: AdminBus, upTo: number): Promise<number[]> => {
  const seen: number[] = [];
  const durable = durables.commerceExports;
  const options = { stream, durable, state: counterState, concurrency: 1, onFailure: failOnCall } as const;
  const running = await consume(bus, { ...options, handle: async ({ event }) => void seen.push(event.state.n) });
  await eventually(async () => {
    const [position] = await positionsOf(bus, [{ stream, durable }]);
    assert.equal(position?.acknowledged, upTo);
  });
  await running.stop();
  return seen;
};

describe('a stream backup', () => {
  let source: TestBus;
  let target: TestBus;
  const copying: Running[] = [];
  let from: AdminBus;
  let to: AdminBus;
  before(async () => {
    source = await startTestBus();
    target = await startTestBus();
    from = await source.connect('operator');
    for (const user of copiers) copying.push(serveBackups(await source.connect(user), () => undefined));
    to = await target.connect('operator');
  });
  after(async () => {
    await Promise.all(copying.map((one) => one.stop()));
    await Promise.all([source.stop(), target.stop()]);
  });

  it('restores the same sequences, settings and bytes elsewhere, with the permissions of the operator', async () => {
    const admin = await source.connect('admin');
    await ensureStream(admin, stream);
    await appendCounts(admin, subjects.export('a', '1'), [1, 397]);
    // nats-server 2.15 compresses the messages together. Random bytes make several chunks anyway.
    for (const n of [398, 399, 400]) {
      const event = { ...counterEvent(n), id: randomBytes(300_000).toString('base64') };
      await admin.js.publish(subjects.export('a', '1'), JSON.stringify(event));
    }
    const copy = await copyOf(from, stream);
    assert.equal(copy.extent.last_seq, 400);
    assert.ok(copy.chunks.length > 3, 'the window is tried');
    const restored = await restore(to, stream, copy);
    assert.deepEqual(restored, copy.extent);
    const other = await target.connect('admin');
    const [one, secondChunk] = await Promise.all(
      [admin, other].map((bus) => bus.jsm.streams.getMessage(stream, { seq: 321 })),
    );
    assert.deepEqual([secondChunk?.string(), secondChunk?.time], [one?.string(), one?.time]);
    assert.deepEqual((await other.jsm.streams.info(stream)).config, (await admin.jsm.streams.info(stream)).config);
    await assert.rejects(restore(to, stream, copy), /already/i);
  });

  it('of a bucket excludes erased entries', async () => {
    const admin = await source.connect('admin');
    await ensurePersonal(admin);
    for (const account of ['a', 'b']) await admin.js.publish(subjects.person(account), account);
    await admin.jsm.streams.deleteMessage(personalStream, 1);
    const copy = await copyOf(from, personalStream);
    assert.deepEqual(await restore(to, personalStream, copy), copy.extent);
    assert.equal(copy.extent.messages, 1);
  });

  it('restores no stream when it is damaged or missing, and reports which', async () => {
    const admin = await source.connect('admin');
    await ensureStream(admin, 'EVT_FILE');
    await appendCounts(admin, subjects.file('k'), [1, 2_000]);
    const copy = await copyOf(from, 'EVT_FILE');
    const damaged = copy.chunks.map((chunk) => Buffer.from(chunk).fill(7, chunk.length >> 1));
    await assert.rejects(restore(to, 'EVT_FILE', { ...copy, chunks: damaged }), StreamBackupError);
    await assert.rejects(restore(to, 'EVT_FILE', { ...copy, chunks: damaged.slice(1) }), StreamBackupError);
    const other = await target.connect('admin');
    await assert.rejects(other.jsm.streams.info('EVT_FILE'), /not found/);
    await assert.rejects(backUpStream(from, 'EVT_KEYS'), /not found/);
  });

  it('needs a process of the service that may append to the stream, and one request at a time', async () => {
    const nobody = await target.connect('operator');
    await assert.rejects(backUpStream(nobody, 'EVT_STRIPE'), /^SnapshotError: No process of commerce runs/);
    const admin = await source.connect('admin');
    await ensureStream(admin, 'EVT_ARCHIVE');
    await appendCounts(admin, subjects.archive('M'), [1, 10]);
    const first = await backUpStream(from, 'EVT_ARCHIVE');
    await assert.rejects(backUpStream(from, 'EVT_ARCHIVE'), /is being copied already/);
    let bytes = 0;
    for await (const chunk of first.chunks) bytes += chunk.length;
    assert.ok(bytes > 0);
    await eventually(() => copyOf(from, 'EVT_ARCHIVE'));
  });

  it('restores the positions of consumers, with unacknowledged events', async () => {
    const service = await source.connect('commerce');
    const admin = await source.connect('admin');
    assert.equal((await handled(service, 400)).length, 400);
    const positions: Position[] = await positionsOf(from, backedUpConsumers);
    await appendCounts(admin, subjects.export('a', '1'), [401, 410]);
    const copy = await copyOf(from, stream);
    await (await target.connect('admin')).jsm.streams.delete(stream);
    await restore(to, stream, copy);
    for (const position of positions) await restorePosition(to, position);
    const expected = Array.from({ length: 10 }, (_, index) => 401 + index);
    assert.deepEqual(await handled(await target.connect('commerce'), 410), expected);
    // A process that starts again continues as well.
    assert.deepEqual(await handled(await target.connect('commerce'), 410), []);
  });
});
