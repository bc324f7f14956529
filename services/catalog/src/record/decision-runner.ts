import { randomUUID } from 'node:crypto';
import { type Decider, type EventStore, execute, type DomainEvent } from '@almanac/event-store';

export interface Target<Command> {
  readonly subject: string;
  readonly command: Command;
  /** The thing is thought not to be there yet: it is not looked up first, and a wrong guess costs a round trip. */
  readonly isNew?: boolean;
}

/** Runs the decisions of one call on one deadline, and knows the last event that they appended. */
export interface CommandRunner {
  run<State, Command, F extends DomainEvent>(
    decider: Decider<State, Command, F>,
    to: Target<Command>,
  ): Promise<'created' | 'changed' | 'unchanged'>;
  /** 0 while nothing was appended. */
  readonly lastSeq: number;
}

export const commandRunner = (store: EventStore, timeoutMs: number): CommandRunner => {
  const deadline = performance.now() + timeoutMs;
  let lastSeq = 0;
  return {
    get lastSeq() {
      return lastSeq;
    },
    run: async (decider, { subject, command, isNew = false }) => {
      let isCreated = false;
      const decide: typeof decider.decide = (given, state) => {
        isCreated = state === undefined;
        return decider.decide(given, state);
      };
      const outcome = await execute(
        isNew ? assumeNew(store) : store,
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
      return isCreated ? 'created' : 'changed';
    },
  };
};

/** A store that answers the first load with nothing; an append that finds something there is a conflict, and the next load tells. */
const assumeNew = (store: EventStore): EventStore => {
  let isFirst = true;
  return {
    load: async (subject, state) => {
      if (!isFirst) return store.load(subject, state);
      isFirst = false;
      return undefined;
    },
    append: (subject, event, expectedSeq) => store.append(subject, event, expectedSeq),
  };
};
