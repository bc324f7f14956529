import assert from 'node:assert/strict';
import { type Bus, messageAt, partitionCount, partitionsOf, streamState } from '@almanac/bus';
import { parseJson, type StreamName } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import type { Acknowledged } from './cluster-writers.js';

const waitMs = 60_000;
/** A long test has 150,000 messages to read. */
const compareMs = 300_000;
const readsAtOnce = 20;

interface Stored {
  readonly seq: number;
  readonly subject: string;
  readonly id: string;
}

/** All messages of a stream, from its leader. */
const storedIn = async (bus: Bus, stream: StreamName): Promise<Stored[]> => {
  // The servers may still choose a leader after the last fault, and refuse requests meanwhile.
  const answered = <T>(request: () => Promise<T>): Promise<T> => eventually(request, { timeoutMs: waitMs });
  const stored: Stored[] = [];
  const read = async (seq: number): Promise<void> => {
    const message = await answered(() => messageAt(bus, stream, seq));
    assert.ok(message, `message ${seq} of ${stream}`);
    const { id } = identified.parse(parseJson(Buffer.from(message.data).toString('utf8')));
    stored.push({ seq, subject: message.subject, id });
  };
  const step = partitionCount(bus, stream);
  for (const partition of partitionsOf(bus, stream)) {
    const { first_seq: first, last_seq: last } = await answered(() => streamState(bus, stream, partition));
    const seqs = Array.from({ length: last === 0 ? 0 : (last - first) / step + 1 }, (_, index) => first + index * step);
    for (let at = 0; at < seqs.length; at += readsAtOnce) await Promise.all(seqs.slice(at, at + readsAtOnce).map(read));
  }
  return stored;
};

const identified = z.object({ id: z.string() });

/** No acknowledged append is lost, none is stored twice, and no expected sequence has two winners. */
const assertEachStoredOnce = (acknowledged: readonly Acknowledged[], stored: readonly Stored[]): void => {
  assert.ok(acknowledged.length > 0);
  const bySeq = new Map(stored.map((one) => [one.seq, one]));
  const byId = new Map(stored.map((one) => [one.id, one]));
  const lost = acknowledged
    .filter(({ seq, id, subject }) => bySeq.get(seq)?.id !== id || bySeq.get(seq)?.subject !== subject)
    .map((one) => ({ ...one, storedThere: bySeq.get(one.seq), storedElsewhere: byId.get(one.id) }));
  assert.deepEqual(lost, [], 'lost');
  assert.equal(new Set(stored.map(({ id }) => id)).size, stored.length, 'doubled');
  const winners = new Set(acknowledged.map(({ subject, expected }) => `${subject} ${expected}`));
  assert.equal(winners.size, acknowledged.length, 'two winners');
};

/**
 * Compares with what the stream has at its leader. A leader that was chosen last can answer before it has the end of the
 * stream. So what is missing is read again; what is lost stays missing. Returns the messages.
 */
export const eachStoredOnce = (
  acknowledged: readonly Acknowledged[],
  bus: Bus,
  stream: StreamName,
): Promise<readonly Stored[]> =>
  eventually(
    async () => {
      const stored = await storedIn(bus, stream);
      assertEachStoredOnce(acknowledged, stored);
      return stored;
    },
    { timeoutMs: compareMs },
  );

const quantileOf = (times: readonly number[], part: number): number =>
  times.toSorted((one, other) => one - other)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;

/** Times in milliseconds as a text. */
export const figuresOf = (times: readonly number[]): string =>
  [0.5, 0.9, 1]
    .map((part) => `${part === 1 ? 'max' : `p${part * 100}`} ${(quantileOf(times, part) / 1_000).toFixed(2)} s`)
    .join(', ');
