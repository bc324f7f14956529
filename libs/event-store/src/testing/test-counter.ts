import { DomainError, type StoredEvent } from '@almanac/contracts';
import { z } from 'zod';
import type { Decider, CommandEnvelope } from '../decider.js';

/** An entity for tests: it adds, once per tag, and never goes below zero. */
export const counterState = z.object({ sum: z.int(), tags: z.array(z.string()) });
export type CounterState = z.infer<typeof counterState>;
export interface Add {
  readonly by: number;
  readonly tag?: string;
}
export interface Added {
  readonly type: 'Added';
  readonly data: Add;
}

export const counter: Decider<CounterState, Add, Added> = {
  state: counterState,
  decide: ({ by, tag }, state) => {
    if (tag !== undefined && state?.tags.includes(tag)) return null;
    if ((state?.sum ?? 0) + by < 0) throw new DomainError('payment_required', 'There is not that much.');
    return { type: 'Added', data: tag === undefined ? { by } : { by, tag } };
  },
  evolve: (state, { data: { by, tag } }) => ({
    sum: (state?.sum ?? 0) + by,
    tags: [...(state?.tags ?? []), ...(tag === undefined ? [] : [tag])],
  }),
};

export const addition = (
  subject: string,
  id: string,
  command: Add,
  timeoutMs = 60_000,
): CommandEnvelope<Add, CounterState> => ({
  subject,
  command,
  id,
  account: null,
  time: 1,
  timeoutMs,
});

export const counterEvent = (id: string, sum: number): StoredEvent<CounterState> => ({
  id,
  type: 'Added',
  version: 1,
  time: 1,
  account: 'a',
  data: { by: 1 },
  state: { sum, tags: [] },
});
