import { randomUUID } from 'node:crypto';
import { type Decider, type EventStore, execute, type Fact } from '@almanac/event-store';

/** Runs the decisions of one call on one deadline, and knows the last event that they appended. */
export interface DecisionRunner {
  run<State, Command, F extends Fact>(
    decider: Decider<State, Command, F>,
    subject: string,
    command: Command,
  ): Promise<'created' | 'changed' | 'unchanged'>;
  /** 0 while nothing was appended. */
  readonly lastSeq: number;
}

export const decisionRunner = (store: EventStore, timeoutMs: number): DecisionRunner => {
  const deadline = performance.now() + timeoutMs;
  let lastSeq = 0;
  return {
    get lastSeq() {
      return lastSeq;
    },
    run: async (decider, subject, command) => {
      let isNew = false;
      const decide: typeof decider.decide = (asked, state) => {
        isNew = state === undefined;
        return decider.decide(asked, state);
      };
      const outcome = await execute(
        store,
        { ...decider, decide },
        {
          subject,
          command,
          id: randomUUID(),
          account: null,
          time: Date.now() * 1_000,
          timeoutMs: deadline - performance.now(),
        },
      );
      if (outcome?.changed !== true) return 'unchanged';
      lastSeq = Math.max(lastSeq, outcome.seq);
      return isNew ? 'created' : 'changed';
    },
  };
};
