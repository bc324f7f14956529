import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { suspendProcess } from '@almanac/testing';
import { type AdminBus, type Bus, isPermissionViolation } from '../bus.js';
import { acknowledgedUpTo, lastMessage, lastMessageFromReplica, messageAt, streamState } from './jetstream-reads.js';
import { subjects } from '../names.js';
import { hasSubjectIndex } from '../connection/server-version.js';
import { ensureStream } from './streams.js';
import { readStream, type ReadStreamOptions } from './read-stream.js';
import {
  appendCounts,
  type CounterState,
  counterState,
  startTestBus,
  type TestBus,
  failOnCall,
  emptyStreams,
} from '../testing/test-bus.js';

const stream = 'EVT_CATALOG';

let nats: TestBus;
before(async () => {
  nats = await startTestBus();
});
after(() => nats.stop());

describe('reading a part of a stream', () => {
  let admin: AdminBus;
  let bus: AdminBus;
  const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

  before(async () => {
    admin = await nats.connect('admin');
    bus = await nats.connect('catalog');
  });
  beforeEach(async () => {
    await emptyStreams(admin, stream);
  });

  const read = async (options: Partial<ReadStreamOptions<CounterState, number>>): Promise<number[][]> => {
    const batches: number[][] = [];
    await readStream(bus, {
      stream,
      from: 1,
      upTo: 6_000,
      state: counterState,
      batchMax: 500,
      map: ({ event }) => event.state.n,
      onBatch: async (found) => void batches.push([...found]),
      onUnreadable: failOnCall,
      signal: new AbortController().signal,
      ...options,
    });
    return batches;
  };

  it('delivers each event once, in order and in batches, up to the requested end', async () => {
    for (let n = 0; n < 12; n += 1) {
      await appendCounts(admin, subjects.market(`M${n}`), [n * 500 + 1, (n + 1) * 500]);
    }
    const all = await read({});
    assert.deepEqual(all.flat(), numbers(1, 6_000));
    assert.deepEqual([...new Set(all.map(({ length }) => length))], [500]);
    assert.deepEqual((await read({ from: 7, upTo: 1_207 })).flat(), numbers(7, 1_207));
    assert.deepEqual(await read({ from: 8, upTo: 7 }), []);
    assert.equal((await admin.jsm.streams.info(stream)).state.consumer_count, 0);
  });

  it('continues at its position when the server is lost meanwhile, one batch at a time', async () => {
    // More than the reader takes at once is left when the server is lost.
    await appendCounts(admin, subjects.market('A'), [1, 8_000]);
    const seen: number[] = [];
    let atWork = 0;
    await read({
      upTo: 8_000,
      onBatch: async (found) => {
        atWork += 1;
        assert.equal(atWork, 1);
        if (seen.length === 1_000) await nats.server.restart();
        seen.push(...found);
        atWork -= 1;
      },
    });
    assert.deepEqual(seen, numbers(1, 8_000));
  });

  it('can leave out all but the last readable event of each subject, if the server has an index of them', async () => {
    await appendCounts(admin, subjects.market('A'), [1, 500]);
    await appendCounts(admin, subjects.market('B'), [501, 502]);
    await appendCounts(admin, subjects.market('C'), [503, 504]);
    await admin.js.publish(subjects.market('B'), 'no event');
    const found = await read({ upTo: 505, lastOnly: true, onUnreadable: () => undefined });
    assert.deepEqual(found.flat(), hasSubjectIndex(bus.nc.info) ? [500, 504, 502] : numbers(1, 504));
  });

  it('skips and reports a message that is no event', async () => {
    await appendCounts(admin, subjects.market('A'), [1, 2]);
    await admin.js.publish(subjects.market('A'), 'no event');
    await appendCounts(admin, subjects.market('A'), [3, 3]);
    const reported: number[] = [];
    assert.deepEqual(await read({ upTo: 4, onUnreadable: (_, { seq }) => void reported.push(seq) }), [[1, 2, 3]]);
    assert.deepEqual(reported, [3]);
  });

  it('ends when a batch fails, and when the reader stops', async () => {
    await appendCounts(admin, subjects.market('A'), [1, 1_500]);
    await assert.rejects(read({ onBatch: () => Promise.reject(new Error('no room')) }), /no room/);
    const leaving = new AbortController();
    const onBatch = async (): Promise<void> => leaving.abort();
    await assert.rejects(read({ signal: leaving.signal, onBatch }), { name: 'AbortError' });
    await assert.rejects(read({ signal: AbortSignal.abort() }), { name: 'AbortError' });
  });
});

const reads: Readonly<Record<string, (bus: Bus) => Promise<unknown>>> = {
  'the last message of a subject': (bus) => lastMessage(bus, stream, subjects.market('A')),
  'the last message at a replica': (bus) => lastMessageFromReplica(bus, stream, subjects.market('A')),
  'a message by its sequence': (bus) => messageAt(bus, stream, 1),
  'the state of a stream': (bus) => streamState(bus, stream),
  'the position of a consumer': (bus) => acknowledgedUpTo(bus, stream, 'none'),
};

describe('reads of JetStream', () => {
  let catalog: AdminBus;
  before(async () => {
    catalog = await nats.connect('catalog');
    await ensureStream(catalog, stream);
  });

  it('are unavailable while the server is frozen', async () => {
    const resume = await suspendProcess(nats.server.pid);
    try {
      const outcomes = await Promise.allSettled(Object.values(reads).map((read) => read(catalog)));
      for (const [index, name] of Object.keys(reads).entries()) {
        const outcome = outcomes[index];
        assert.ok(outcome?.status === 'rejected', name);
        assert.ok(outcome.reason instanceof DomainError && outcome.reason.code === 'unavailable', name);
      }
    } finally {
      resume();
    }
  });

  it('report a missing permission as it is', async () => {
    const keys = await nats.connect('keys');
    await assert.rejects(lastMessage(keys, stream, subjects.market('A')), isPermissionViolation);
  });

  it('are the only ones that a service can make', () => {
    const bus: Bus = catalog;
    // @ts-expect-error -- a service has no JetStream client of its own
    assert.ok(bus.jsm, 'the clients of an admin connection are there, but not in the type of a service');
  });
});
