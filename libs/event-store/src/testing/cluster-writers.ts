import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AdminBus } from '@almanac/bus';
import { ConflictError, type EventStore, UnknownOutcomeError } from '../event-store.js';
import { jetStreamStore } from '../jetstream-store.js';
import { counterEvent, counterState } from './test-counter.js';

/** An append that the store acknowledged. */
export interface Acknowledged {
  readonly id: string;
  readonly subject: string;
  readonly expected: number;
  readonly seq: number;
  /** The server said that an earlier try had stored it. */
  readonly duplicate: boolean;
  /** Milliseconds of the monotonic clock. */
  readonly begun: number;
  readonly answered: number;
}

export interface ClusterWriters {
  readonly acknowledged: readonly Acknowledged[];
  /** How often each error was seen, by its innermost message. */
  readonly failures: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** Writers that append to few subjects through their own stores, and repeat an append whose outcome is unknown. */
export const clusterWriters = (buses: readonly AdminBus[], subjects: readonly string[]): ClusterWriters => {
  const acknowledged: Acknowledged[] = [];
  const failures = new Map<string, number>();
  let writing = true;
  const isWriting = (): boolean => writing;
  const note = (error: unknown): void => {
    const text = (error instanceof ConflictError ? 'conflict' : innermost(error)).replaceAll(/\d+/g, 'N');
    failures.set(text, (failures.get(text) ?? 0) + 1);
  };
  const write = async (bus: AdminBus, start: number): Promise<void> => {
    const store = jetStreamStore(bus);
    for (let n = start; isWriting(); n += 1) {
      const subject = subjects[n % subjects.length] ?? '';
      const id = randomUUID();
      const begun = performance.now();
      try {
        const done = await appendOnce(store, subject, { id, isWriting, note });
        if (done !== undefined) acknowledged.push({ ...done, id, subject, begun, answered: performance.now() });
      } catch (error) {
        note(error);
        await delay(20 * (0.5 + Math.random()));
      }
    }
  };
  const all = buses.map((bus, index) => write(bus, index * 3));
  return {
    acknowledged,
    failures,
    stop: async () => {
      writing = false;
      await Promise.all(all);
    },
  };
};

/** Repeats the same append while its outcome is unknown. */
const appendOnce = async (
  store: EventStore,
  subject: string,
  { id, isWriting, note }: { id: string; isWriting: () => boolean; note: (error: unknown) => void },
): Promise<Pick<Acknowledged, 'seq' | 'duplicate' | 'expected'> | undefined> => {
  const loaded = await store.load(subject, counterState);
  const expected = loaded?.seq ?? 0;
  const event = counterEvent(id, (loaded?.state.sum ?? 0) + 1);
  for (;;) {
    try {
      return { ...(await store.append(subject, event, expected)), expected };
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError)) throw error;
      note(error);
      if (!isWriting()) return undefined;
      await delay(20 * (0.5 + Math.random()));
    }
  }
};

const innermost = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? innermost(error.cause) : String(error);
