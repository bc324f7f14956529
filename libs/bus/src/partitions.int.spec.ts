import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually, testNats } from '@almanac/testing';
import { type AdminBus, connectBus, isPermissionViolation } from './bus.js';
import { consumeBatches } from './consume/consume-batches.js';
import { follow, followCurrent } from './consume/follow.js';
import {
  acknowledgedPosition,
  endOf,
  lastMessage,
  messageAt,
  nextMessage,
  streamState,
} from './streams/jetstream-reads.js';
import { messageBefore } from './streams/last-event.js';
import { durables, patterns, subjects } from './names.js';
import { partitionOf, partitionsOf, serverStreams } from './partitions.js';
import { readStream } from './streams/read-stream.js';
import { readSubjects } from './streams/read-subjects.js';
import { publishStored } from './streams/storage-capacity.js';
import { ensureDeadLetters, ensureStream } from './streams/streams.js';
import { counterEvent, counterState, failOnCall, startTestBus, type TestBus } from './testing/test-bus.js';

const stream = 'EVT_CATALOG';
const partitions = 4;
const tickers = Array.from({ length: 16 }, (_, n) => `M-${n}`);
const rounds = 3;

describe('an event stream with four partitions', () => {
  let nats: TestBus;
  let bus: AdminBus;
  const seqs = new Map<string, number[]>();
  const append = (on: AdminBus, subject: string, n: number, last: number) => {
    const { id: _id, ...event } = counterEvent(n);
    const message = { ...event, id: `${subject}-${n}` };
    const options = { msgID: message.id, expect: { streamName: stream, lastSubjectSequence: last } };
    return publishStored(on, subject, { data: Buffer.from(JSON.stringify(message)), options });
  };

  before(async () => {
    nats = await startTestBus(partitions);
    bus = await nats.connect('catalog');
    await ensureStream(bus, stream);
    await ensureDeadLetters(bus);
    for (let n = 1; n <= rounds; n += 1) {
      for (const ticker of tickers) {
        const of = seqs.get(ticker) ?? [];
        const { seq } = await append(bus, subjects.market(ticker), n, of.at(-1) ?? 0);
        seqs.set(ticker, [...of, seq]);
      }
    }
  });
  after(() => nats.stop());

  it('is four streams of the server, each with its share of the subjects', async () => {
    const states = await Promise.all(partitionsOf(bus, stream).map((at) => streamState(bus, stream, at)));
    assert.equal(
      states.reduce((sum, { messages }) => sum + messages, 0),
      tickers.length * rounds,
    );
    assert.ok(states.every(({ messages }) => messages > 0));
    for (const all of seqs.values())
      assert.deepEqual(
        all,
        [...new Set(all)].toSorted((a, b) => a - b),
      );
    assert.equal(new Set([...seqs.values()].flat()).size, tickers.length * rounds);
  });

  it('refuses an append that expects another sequence of its subject', async () => {
    const subject = subjects.market('M-0');
    const last = seqs.get('M-0')?.at(-1) ?? 0;
    await assert.rejects(append(bus, subject, 99, last - partitions), /wrong last sequence/);
    await assert.rejects(append(bus, subject, 99, 0), /wrong last sequence/);
    assert.equal((await lastMessage(bus, stream, subject))?.seq, last);
  });

  it('reads an event by subject and by sequence', async () => {
    for (const [ticker, all] of seqs) {
      const subject = subjects.market(ticker);
      for (const [index, seq] of all.entries()) {
        const found = await messageAt(bus, stream, seq);
        assert.deepEqual([found?.subject, found?.seq], [subject, seq]);
        assert.equal((await nextMessage(bus, stream, { subject, seq }))?.seq, seq);
        assert.equal((await nextMessage(bus, stream, { subject, seq: seq + 1 }))?.seq, all[index + 1]);
        assert.equal((await messageBefore(bus, { stream, subject }, seq))?.seq, all[index - 1]);
      }
    }
  });

  it('delivers each event once to a reader and to a follower, those of a subject in order', async () => {
    const read = new Map<string, number[]>();
    const note = (into: Map<string, number[]>, subject: string, seq: number): void =>
      void into.set(subject, [...(into.get(subject) ?? []), seq]);
    const end = await endOf(bus, stream);
    for (const partition of partitionsOf(bus, stream)) {
      await readStream(bus, {
        stream,
        partition,
        from: 1,
        upTo: end[partition] ?? 0,
        state: counterState,
        batchMax: 5,
        map: ({ subject, seq }) => ({ subject, seq }),
        onBatch: async (batch) => {
          for (const { subject, seq } of batch) note(read, subject, seq);
        },
        onUnreadable: failOnCall,
        signal: new AbortController().signal,
      });
    }
    const expected = new Map([...seqs].map(([ticker, all]) => [subjects.market(ticker), all]));
    assert.deepEqual(Object.fromEntries(read), Object.fromEntries(expected));

    const followed = new Map<string, number[]>();
    const following = await follow(bus, {
      stream,
      from: 'first',
      state: counterState,
      onEvent: ({ subject, seq }) => note(followed, subject, seq),
      onUnreadable: failOnCall,
    });
    await following.caughtUp;
    assert.deepEqual(Object.fromEntries(followed), Object.fromEntries(expected));
    assert.deepEqual(following.position, end);
    assert.deepEqual(following.progress, { read: tickers.length * rounds, stored: tickers.length * rounds });
    await following.stop();

    const current = new Map<string, number>();
    const filter = patterns.allMarkets;
    const onEvent = ({ subject, seq }: { subject: string; seq: number }): void => void current.set(subject, seq);
    const replica = await followCurrent(bus, {
      stream,
      filter,
      state: counterState,
      onEvent,
      onUnreadable: failOnCall,
    });
    assert.deepEqual(
      Object.fromEntries(current),
      Object.fromEntries([...expected].map(([subject, all]) => [subject, all.at(-1)])),
    );
    await replica.stop();

    const history: number[] = [];
    for await (const { seq } of readSubjects(bus, { stream, filter: subjects.market('M-7'), onUnreadable: failOnCall }))
      history.push(seq);
    assert.deepEqual(history, seqs.get('M-7'));
  });

  it('has a position in each partition that a restarted consumer continues from', async () => {
    const handled = new Map<number, number>();
    const failures: unknown[] = [];
    const start = () =>
      consumeBatches(bus, {
        stream,
        durable: durables.catalogReadModel,
        state: counterState,
        batchMax: 10,
        onFailure: (error) => failures.push(error),
        handle: async (messages) => {
          for (const { seq } of messages) handled.set(seq, (handled.get(seq) ?? 0) + 1);
        },
      });
    const first = await start();
    const all = [...seqs.values()].flat();
    await eventually(async () => {
      const position = await acknowledgedPosition(bus, stream, durables.catalogReadModel);
      assert.ok(all.every((seq) => seq <= (position[seq % partitions] ?? 0)));
    });
    await first.stop();
    const { seq } = await append(bus, subjects.market('new'), 1, 0);
    const second = await start();
    await eventually(() => assert.ok(handled.has(seq)));
    await second.stop();
    assert.deepEqual(
      [...handled.keys()].toSorted((a, b) => a - b),
      [...all, seq].toSorted((a, b) => a - b),
    );
    assert.ok([...handled.values()].every((times) => times === 1));
    assert.deepEqual(failures, []);
  });

  it('is out of reach of every user that has no right to it', async () => {
    const partition = String(partitionOf(bus, stream, subjects.market('M-0'))).padStart(2, '0');
    for (const user of ['gateway', 'keys', 'ingest', 'subscriber', 'operator', 'timeseries', 'export'] as const) {
      const other = await nats.connect(user);
      await assert.rejects(append(other, subjects.market('M-0'), 100, 0), isPermissionViolation, user);
      const stored = `evt.catalog.${partition}.market.M-0`;
      await assert.rejects(other.js.publish(stored, 'forged'), isPermissionViolation, user);
      for (const name of serverStreams(bus, [stream])) {
        await assert.rejects(other.jsm.streams.purge(name), isPermissionViolation, user);
        await assert.rejects(other.jsm.streams.delete(name), isPermissionViolation, user);
      }
    }
  });
});

describe('an event stream that was made with four partitions', () => {
  it('is not opened with another number', async () => {
    const server = await testNats();
    const open = async (count: number): Promise<void> => {
      const wrong = await connectBus({ url: server.url, user: 'admin', partitions: count });
      try {
        await ensureStream(wrong, stream);
      } finally {
        await wrong.close();
      }
    };
    try {
      await open(partitions);
      await assert.rejects(open(1), /overlaps a stream that was made with another NATS_PARTITIONS/);
      await assert.rejects(open(2), /is "partition (\d) of 4", but NATS_PARTITIONS needs "partition \1 of 2"/);
      await assert.rejects(open(8), /is "partition (\d) of 4", but NATS_PARTITIONS needs "partition \1 of 8"/);
      await assert.rejects(open(33), /partitions must be 1 to 32/);
      await open(partitions);
    } finally {
      await server.stop();
    }
  });
});
