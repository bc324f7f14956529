import assert from 'node:assert/strict';
import type { AdminBus } from '@almanac/bus';
import type { StreamName } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import type { Acknowledged } from './cluster-writers.js';

const waitMs = 60_000;
const readsAtOnce = 20;

interface Stored {
  readonly seq: number;
  readonly subject: string;
  readonly id: string;
}

/** All messages of a stream, from its leader. */
export const storedIn = async (bus: AdminBus, stream: StreamName): Promise<Stored[]> => {
  // The servers may still choose a leader after the last fault, and refuse requests meanwhile.
  const answered = <T>(request: () => Promise<T>): Promise<T> => eventually(request, { timeoutMs: waitMs });
  const { state } = await answered(() => bus.jsm.streams.info(stream));
  const stored: Stored[] = [];
  const read = async (seq: number): Promise<void> => {
    const message = await answered(() => bus.jsm.streams.getMessage(stream, { seq }));
    assert.ok(message, `message ${seq} of ${stream}`);
    stored.push({ seq, subject: message.subject, id: message.json<{ id: string }>().id });
  };
  for (let seq = 1; seq <= state.last_seq; seq += readsAtOnce) {
    const batch = Array.from({ length: Math.min(readsAtOnce, state.last_seq - seq + 1) }, (_, index) => seq + index);
    await Promise.all(batch.map(read));
  }
  return stored;
};

/** No acknowledged append is lost, none is stored twice, and no expected sequence has two winners. */
export const assertEachStoredOnce = (acknowledged: readonly Acknowledged[], stored: readonly Stored[]): void => {
  assert.ok(acknowledged.length > 0);
  const bySeq = new Map(stored.map((one) => [one.seq, one]));
  const lost = acknowledged.filter(({ seq, id, subject }) => {
    const found = bySeq.get(seq);
    return found?.id !== id || found.subject !== subject;
  });
  assert.deepEqual(lost, [], 'lost');
  assert.equal(new Set(stored.map(({ id }) => id)).size, stored.length, 'doubled');
  const winners = new Set(acknowledged.map(({ subject, expected }) => `${subject} ${expected}`));
  assert.equal(winners.size, acknowledged.length, 'two winners');
};

const quantileOf = (times: readonly number[], part: number): number =>
  times.toSorted((one, other) => one - other)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;

/** Times in milliseconds as a text. */
export const figuresOf = (times: readonly number[]): string =>
  [0.5, 0.9, 1]
    .map((part) => `${part === 1 ? 'max' : `p${part * 100}`} ${(quantileOf(times, part) / 1_000).toFixed(2)} s`)
    .join(', ');
