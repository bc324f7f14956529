import assert from 'node:assert/strict';
import { DomainError, type ErrorCode } from '@almanac/contracts';
import type { Decider, DomainEvent } from '../decider.js';

/**
 * Specifies a decider in one sentence: `given([events]).when(command).then(event)`, or `.thenThrows(code)`.
 * `.then(null)`: nothing changes. `.thenState(state)`: the state after the given and the decided events.
 */
export const specificationOf = <State, Command, F extends DomainEvent>(decider: Decider<State, Command, F>) => ({
  given: (givenEvents: readonly F[]) => ({
    when: (command: Command) => {
      const before = givenEvents.reduce<State | undefined>(
        (state, domainEvent) => decider.evolve(state, domainEvent),
        undefined,
      );
      const decide = () => decider.decide(command, before);
      return {
        // oxlint-disable-next-line unicorn/no-thenable -- the third word of given/when/then; nobody awaits it
        then: (expected: F | null) => assert.deepEqual(decide(), expected),
        thenThrows: (code: ErrorCode) =>
          assert.throws(decide, (error) => error instanceof DomainError && error.code === code),
        thenState: (expected: State) => {
          const domainEvent = decide();
          assert.deepEqual(domainEvent === null ? before : decider.evolve(before, domainEvent), expected);
        },
      };
    },
  }),
});
