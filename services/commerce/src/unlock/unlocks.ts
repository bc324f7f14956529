import { subjects } from '@almanac/bus';
import { type UnlockState, unlockState } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import { isUnlocked, type UnlockCommand, unlockDecider } from './unlock.decider.js';

const unlockMs = 5_000;
const readsAtOnce = 16;

export const lockedOf = async (store: EventStore, account: string, events: readonly string[]): Promise<string[]> => {
  const locked = new Set<string>();
  const queue = events.values();
  const read = async (): Promise<void> => {
    for (const event of queue) {
      const loaded = await store.load(subjects.unlock(account, event), unlockState);
      if (!isUnlocked(loaded?.state)) locked.add(event);
    }
  };
  await Promise.all(Array.from({ length: Math.min(readsAtOnce, events.length) }, read));
  return events.filter((event) => locked.has(event));
};

/** Changes one unlock and returns its state, or undefined if it does not exist. `id` makes a repetition harmless. */
export const changeUnlock = async (
  store: EventStore,
  { account, event, id, us }: { account: string; event: string; id: string; us: number },
  command: UnlockCommand,
): Promise<UnlockState | undefined> => {
  const outcome = await execute(store, unlockDecider, {
    subject: subjects.unlock(account, event),
    command,
    id,
    account,
    time: us,
    timeoutMs: unlockMs,
  });
  return outcome?.state;
};
