import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { AdminBus } from './bus.js';
import { subjects } from './names.js';
import { hasSubjectIndex } from './server-version.js';
import { readStream, type ReadStreamOptions } from './read-stream.js';
import {
  appendCounts,
  type CounterState,
  counterState,
  startTestBus,
  type TestBus,
  failOnCall,
  emptyStreams,
} from './testing/test-bus.js';

const stream = 'EVT_CATALOG';

describe('reading a part of a stream', () => {
  let nats: TestBus;
  let admin: AdminBus;
  let bus: AdminBus;
  const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

  before(async () => {
    nats = await startTestBus();
    admin = await nats.connect('admin');
    bus = await nats.connect('catalog');
  });
  beforeEach(async () => {
    await emptyStreams(admin, stream);
  });
  after(() => nats.stop());

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
