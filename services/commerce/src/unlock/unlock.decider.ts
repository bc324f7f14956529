import { unlockState } from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';
import type { z } from 'zod';

type Unlock = z.infer<typeof unlockState>;

/** An event that an account may use for good: a thing of its own, so that an account's state stays small. */
export const unlockDecider: Decider<Unlock, Unlock, { type: 'EventUnlocked'; data: Unlock }> = {
  state: unlockState,
  decide: (command, state) => (state === undefined ? { type: 'EventUnlocked', data: command } : null),
  evolve: (_state, fact) => fact.data,
};
