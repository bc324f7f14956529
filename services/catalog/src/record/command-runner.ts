import { randomUUID } from 'node:crypto';
import { type Decider, type EventStore, execute, type DomainEvent } from '@almanac/event-store';
import { unixMicros } from '@almanac/runtime';

export interface Target<Command> {
  readonly subject: string;
  readonly command: Command;
  /** Assumes that the entity is new and skips the first load. A wrong assumption costs a round trip. */
  readonly isNew?: boolean;
}

/** Runs the commands of one call with a common deadline, and records the last appended event. */
export type CommandRunner = ReturnType<typeof commandRunner>;

export const commandRunner = (store: EventStore, timeoutMs: number) => {
  const deadline = performance.now() + timeoutMs;
  let lastSeq = 0;
  return {
    /** 0 if nothing was appended. */
    get lastSeq() {
      return lastSeq;
    },
    run: async <State, Command, F extends DomainEvent>(
      decider: Decider<State, Command, F>,
      { subject, command, isNew = false }: Target<Command>,
    ): Promise<'created' | 'changed' | 'unchanged'> => {
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
          time: unixMicros(),
          timeoutMs: deadline - performance.now(),
        },
      );
      if (outcome?.changed !== true) return 'unchanged';
      lastSeq = Math.max(lastSeq, outcome.seq);
      return isCreated ? 'created' : 'changed';
    },
  };
};

/** Its first load returns nothing. If the entity exists, the append conflicts and the next load is real. */
const assumeNew = (store: EventStore): EventStore => {
  let isFirst = true;
  return {
    load: async (subject, state) => {
      if (!isFirst) return store.load(subject, state);
      isFirst = false;
      return undefined;
    },
    confirmed: (subject, state, loaded) => store.confirmed(subject, state, loaded),
    loadToShow: (subject, state) => store.loadToShow(subject, state),
    append: (subject, event, expectedSeq) => store.append(subject, event, expectedSeq),
  };
};
