import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StreamsStatus } from '@almanac/contracts';
import { mergedStreams } from './merged-streams.js';

const none: StreamsStatus = { streams: [], consumers: [], dead_letters: [], unreadable: { count: 0, examples: [] } };
const stream = { stream: 'DEAD', exists: true, messages: 2, bytes: 10, limit_bytes: null, newest_ts: 5 };
const newest = { number: 3, stored_ts: 5, subject: 'evt.file.k', sequence: 9, reason: 'no' };

describe('the streams of all services', () => {
  it('have what several services report once, and the newest dead letter of the one that knows it', () => {
    const consumer = 'export-workers';
    const own: StreamsStatus = { ...none, streams: [stream], dead_letters: [{ consumer, count: 1, newest }] };
    const other: StreamsStatus = { ...none, streams: [stream], dead_letters: [{ consumer, count: 2, newest: null }] };
    for (const reports of [
      [own, other],
      [other, own],
    ]) {
      const merged = mergedStreams(reports);
      assert.deepEqual(merged.streams, [stream]);
      assert.deepEqual(merged.dead_letters, [{ consumer, count: 2, newest }]);
    }
    assert.deepEqual(mergedStreams([other]).dead_letters, [{ consumer, count: 2, newest: null }]);
    assert.deepEqual(mergedStreams([]), none);
  });

  it('begin with the longest backlog', () => {
    const of = (consumer: string, waiting: number) => ({
      consumer,
      waiting,
      stream: 'S',
      service: 'export',
      in_progress: 0,
      redelivered: 0,
      pull_requests: 1,
    });
    const merged = mergedStreams([
      { ...none, consumers: [of('b', 0), of('c', 7)] },
      { ...none, consumers: [of('a', 0)] },
    ]);
    assert.deepEqual(
      merged.consumers.map(({ consumer }) => consumer),
      ['c', 'a', 'b'],
    );
  });
});
