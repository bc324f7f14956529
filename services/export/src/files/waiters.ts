import { randomUUID } from 'node:crypto';
import { type Bus, nextMessage, patterns, readEvent, subjects } from '@almanac/bus';
import { fileWaiter, type FileWaiter } from '@almanac/contracts';
import { type Decider, type EventStore, execute } from '@almanac/event-store';
import { unixMicros } from '@almanac/runtime';

type WaiterAdded = { readonly type: 'WaiterAdded'; readonly data: { readonly waiter: FileWaiter } };

const waiterDecider: Decider<FileWaiter, FileWaiter, WaiterAdded> = {
  state: fileWaiter,
  decide: (waiter, state) => (state === undefined ? { type: 'WaiterAdded', data: { waiter } } : null),
  evolve: (_state, { data }) => data.waiter,
};

const appendTimeoutMs = 5_000;

/**
 * Records that an export waits for a file that another one requested, on a subject of its own. Call it before the file's
 * state is read: if that is not ready, its end comes later in the stream, and `waitersOf` then has this export.
 */
export const addWaiter = async (store: EventStore, key: string, waiter: FileWaiter): Promise<void> => {
  await execute(store, waiterDecider, {
    subject: subjects.fileWaiter(key, waiter.export_id),
    command: waiter,
    id: randomUUID(),
    cachedState: null,
    account: null,
    time: unixMicros(),
    timeoutMs: appendTimeoutMs,
  });
};

/**
 * Every export that waits or waited for a file up to the event at `endSeq`, without the one that requested it, read one by
 * one in the order of the stream. An export that waits since then has seen that event, and waits for a later one.
 */
export async function* waitersOf(bus: Bus, key: string, endSeq: number): AsyncGenerator<FileWaiter> {
  for (let seq = 1; ;) {
    const message = await nextMessage(bus, 'EVT_FILE', { subject: patterns.waitersOf(key), seq });
    if (message === null || message.seq >= endSeq) return;
    yield readEvent(message, fileWaiter).event.state;
    seq = message.seq + 1;
  }
}
